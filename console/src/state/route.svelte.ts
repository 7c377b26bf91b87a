/** The page that is shown, as the address says it after the hash: `#/messages/msg_01...` is `['messages', 'msg_01...']`. */
export const route = createRoute();

function createRoute() {
  let parts = $state.raw(read());
  addEventListener('hashchange', () => {
    parts = read();
  });
  return {
    get parts() {
      return parts;
    },
  };
}

export function goTo(...parts: string[]): void {
  location.hash = hrefOf(...parts);
}

export function hrefOf(...parts: string[]): string {
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}

function read(): string[] {
  return location.hash
    .replace(/^#\/?/, '')
    .split('/')
    .filter((part) => part !== '')
    .map(decodePart);
}

/** What is no well-formed address is no page of ours, and is shown as that. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

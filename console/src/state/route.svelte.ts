/** The page that is shown, from the part of the address after the hash: `#/messages/msg_01...` is `['messages', 'msg_01...']`. */
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

/** A `goTo` for an answer that is awaited: whoever has gone on to another page meanwhile is not called back. */
export function goToFromHere(): typeof goTo {
  const { parts: here } = route;
  return (...parts) => {
    if (route.parts === here) goTo(...parts);
  };
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

/** An address that is not well formed is shown as a page that does not exist. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const STORED = 'waypost-times';
const UTC = 'utc';

/** Whether times are told in UTC, as in logs, or in the reader's own time zone. The browser keeps it, for all tabs and keys. */
export const zone = createZone();

function createZone() {
  let isUtc = $state(read());
  return {
    get isUtc() {
      return isUtc;
    },
    /** What a field for a time says about itself: it stays in the reader's own zone, as the browser has no other. */
    get ofFields() {
      return isUtc ? 'In your own time zone.' : '';
    },
    toggle() {
      isUtc = !isUtc;
      write(isUtc);
    },
  };
}

function read(): boolean {
  try {
    return localStorage.getItem(STORED) === UTC;
  } catch {
    // A browser that stores nothing for pages refuses even the question. Then each tab begins with the reader's own zone.
    return false;
  }
}

function write(isUtc: boolean): void {
  try {
    if (isUtc) localStorage.setItem(STORED, UTC);
    else localStorage.removeItem(STORED);
  } catch {
    // As above: then it holds until the page is loaded anew.
  }
}

/**
 * Lets the types of bodies take what a caller has at hand: an optional member may be there and undefined, such as one of Node's headers,
 * because JSON leaves it out; and a list may be one that nobody may change. The types of answers stay as they are.
 */
export function widenBodies(text: string, bodies: readonly string[]): string {
  return bodies.reduce(
    (all, name) => all.replace(new RegExp(`^export interface ${name} \\{\\n[\\s\\S]*?^\\}`, 'm'), widen),
    text,
  );
}

/** A member whose value may be missing: with a question mark, or one of many without a name. It ends where the next one begins. */
const OPTIONAL = /^ +(?:\w+\?|\[k: string\]):\s(?!unknown;)[\s\S]*?(?=;\n *(?:\/\*\*|\w|\[|\}))/gm;
/** A list of single types, or of several in brackets. */
const LIST = /(?:\([^()]*\)|\b\w+)\[\]/g;

function widen(body: string): string {
  return body.replaceAll(LIST, (list) => `readonly ${list}`).replaceAll(OPTIONAL, (member) => `${member} | undefined`);
}

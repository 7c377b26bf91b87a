/**
 * Lets the types of bodies take what a caller has at hand: an optional member may be there and undefined, such as one of Node's headers,
 * because JSON leaves it out; a list may be one that nobody may change; and a value with further members may be of any type that has the
 * known ones. The types of answers stay as they are.
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

/** A type with members that are known and others that are not. */
const OPEN = /^export interface (\w+) (\{\n[\s\S]+;\n) {2}\[k: string\]: unknown;\n\}/;

function widen(body: string): string {
  return (
    body
      .replaceAll(LIST, (list) => `readonly ${list}`)
      .replaceAll(OPTIONAL, (member) => `${member} | undefined`)
      // An object that is written out may have members of any name only if the type says so, and one of an interface fits only if it does not.
      .replace(OPEN, 'export type $1 = $2} & (object | { [k: string]: unknown });')
  );
}

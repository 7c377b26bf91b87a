/**
 * A value that may be used in the place of any other: it has every member, can be called, and is a list of one, a number and a text. The
 * functions of the stores only pass their arguments on to the database. So with it each of them can be called without knowing what it
 * takes.
 */
export const standIn = standInWith({});

/** The same, with some members that have real values. */
export function standInWith(known: Record<string, unknown>): unknown {
  const itself: unknown = new Proxy(() => undefined, {
    apply: () => itself,
    get(_, name) {
      if (typeof name === 'string' && Object.hasOwn(known, name)) return known[name];
      if (name === Symbol.toPrimitive) return (hint: string) => (hint === 'string' ? '1' : 1);
      if (name === 'toJSON') return () => '1';
      // Code that awaits it gets it at once.
      if (name === 'then') return undefined;
      const list = [itself];
      const member: unknown = Reflect.get(list, name);
      if (typeof member === 'function') return member.bind(list);
      return member ?? itself;
    },
  });
  return itself;
}

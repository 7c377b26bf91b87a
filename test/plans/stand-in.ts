/**
 * A value that may stand where any other is expected: it has every member, can be called, is a list of one, a number and a
 * text. The functions of the stores only pass their arguments on to the database, so with it each can be called without
 * knowing what it takes.
 */
export const standIn = standInWith({});

/** The same, with some members that are what they are. */
export function standInWith(known: Record<string, unknown>): unknown {
  const itself: unknown = new Proxy(() => undefined, {
    apply: () => itself,
    get(_, name) {
      if (typeof name === 'string' && Object.hasOwn(known, name)) return known[name];
      if (name === Symbol.toPrimitive) return (hint: string) => (hint === 'string' ? '1' : 1);
      if (name === 'toJSON') return () => '1';
      // Whoever waits for it has it at once.
      if (name === 'then') return undefined;
      const list = [itself];
      const member: unknown = Reflect.get(list, name);
      if (typeof member === 'function') return member.bind(list);
      return member ?? itself;
    },
  });
  return itself;
}

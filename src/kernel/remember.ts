import type { SteadyClock } from './clock.ts';

interface Options<Value, Context> {
  /** `context` is what loading needs besides the key. The answer must not depend on it. */
  load(key: string, context: Context): Promise<Value>;
  /** How long an answer is believed, counted from when it was asked for. */
  believedMs: number;
  /** Beyond this many, the oldest is forgotten. */
  entriesMax: number;
  clock: SteadyClock;
}

/**
 * Remembers for a short time what `load` answered, so that a busy key costs a query now and then instead of one a call.
 * Callers that come while it loads share the query. A failure is theirs, and is not remembered.
 */
export function createRemembered<Value, Context = void>({
  load,
  believedMs,
  entriesMax,
  clock,
}: Options<Value, Context>): {
  get(key: string, context: Context): Promise<Value>;
  forget(key: string): void;
  forgetAll(): void;
} {
  const entries = new Map<string, { value: Promise<Value>; untilMs: number }>();

  function ask(key: string, context: Context): Promise<Value> {
    const value = load(key, context);
    entries.delete(key);
    entries.set(key, { value, untilMs: clock.steadyMs() + believedMs });
    // These callers get the failure. The next one asks again, unless somebody has meanwhile.
    value.catch(() => {
      if (entries.get(key)?.value === value) entries.delete(key);
    });
    const [oldest] = entries.keys();
    if (entries.size > entriesMax && oldest !== undefined) entries.delete(oldest);
    return value;
  }

  return {
    get(key, context) {
      const known = entries.get(key);
      return known !== undefined && known.untilMs > clock.steadyMs() ? known.value : ask(key, context);
    },
    forget: (key) => void entries.delete(key),
    forgetAll: () => entries.clear(),
  };
}

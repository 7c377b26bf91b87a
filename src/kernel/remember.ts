import type { SteadyClock } from './clock.ts';

interface Options<Value, Context> {
  /** `context` is what loading needs besides the key. The answer must not depend on it. */
  load(key: string, context: Context): Promise<Value>;
  /** How long an answer is believed, counted from when it was asked for. */
  believedMs: number;
  /**
   * How long before its end an answer is loaded again by whoever uses it, who need not wait for that. 0 unless told: then the first
   * caller after its end waits.
   */
  aheadMs?: number;
  /** Beyond this many, the oldest is forgotten. */
  entriesMax: number;
  clock: SteadyClock;
}

interface Entry<Value> {
  value: Promise<Value>;
  untilMs: number;
  /** Whether it has been asked for anew. */
  renewing: boolean;
}

/**
 * Remembers for a short time what `load` answered, so that a busy key costs a query now and then instead of one a call.
 * Callers that come while it loads share the query. A failure is theirs, and is not remembered.
 */
export function createRemembered<Value, Context = void>({
  load,
  believedMs,
  aheadMs = 0,
  entriesMax,
  clock,
}: Options<Value, Context>): {
  get(key: string, context: Context): Promise<Value>;
  forget(key: string): void;
  forgetAll(): void;
} {
  const entries = new Map<string, Entry<Value>>();

  function put(key: string, value: Promise<Value>, askedMs: number): void {
    entries.delete(key);
    entries.set(key, { value, untilMs: askedMs + believedMs, renewing: false });
    const [oldest] = entries.keys();
    if (entries.size > entriesMax && oldest !== undefined) entries.delete(oldest);
  }

  function ask(key: string, context: Context): Promise<Value> {
    const value = load(key, context);
    put(key, value, clock.steadyMs());
    // These callers get the failure. The next one asks again, unless somebody has meanwhile.
    value.catch(() => {
      if (entries.get(key)?.value === value) entries.delete(key);
    });
    return value;
  }

  function renew(key: string, context: Context, known: Entry<Value>): void {
    known.renewing = true;
    const askedMs = clock.steadyMs();
    load(key, context).then(
      (value) => {
        // What was forgotten meanwhile stays forgotten.
        if (entries.get(key) === known) put(key, Promise.resolve(value), askedMs);
      },
      // What is known holds until it is over. Whoever comes then asks anew, and is told.
      () => undefined,
    );
  }

  return {
    get(key, context) {
      const known = entries.get(key);
      const leftMs = known === undefined ? 0 : known.untilMs - clock.steadyMs();
      if (known === undefined || leftMs <= 0) return ask(key, context);
      if (leftMs <= aheadMs && !known.renewing) renew(key, context, known);
      return known.value;
    },
    forget: (key) => void entries.delete(key),
    forgetAll: () => entries.clear(),
  };
}

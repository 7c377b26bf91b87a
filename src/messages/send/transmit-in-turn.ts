import type { SteadyClock } from '../../kernel/clock.ts';
import type { MessageError } from '../../kernel/message-errors.ts';
import type { OutboundMessage, Provider, Sender, TransmitOutcome } from '../../provider/port.ts';
import type { HeldTurn } from './held-turn.ts';

/** What was found out about a message longer ago than this is looked at again before it goes. */
export const STALE_MS = 500;

interface Deps {
  provider: Pick<Provider, 'transmit'>;
  clock: SteadyClock;
}

export interface Attempt {
  message: OutboundMessage;
  turn: HeldTurn;
  /** Aborts at the deadline: what has not begun by then is not begun. */
  deadline: AbortSignal;
  /** The sender as it is now, of a message that has waited; undefined: it must not go any more. It never rejects. */
  lookAgain(): Promise<Sender | undefined>;
  /** The same while it holds a connection, which others need: `later` if that would take long. */
  lookSoon(): Promise<Sender | 'later' | undefined>;
}

/** What is known of its message now. */
interface Looked {
  sender: Sender;
  atMs: number;
  /** What was found out so long ago is found out again before the message goes; 0: after any wait. */
  staleMs: number;
}

/** `kept_back`: it did not go to the provider, because there is no turn for it or it must not go any more. */
export type AttemptOutcome = TransmitOutcome | { kind: 'kept_back'; error: MessageError };

/** What came of the wait for a connection: the message goes on it, fails, or gives it back and takes another turn. */
interface Waited {
  error: MessageError | null;
  givesBack: boolean;
}

/**
 * Transmits a message once, in its turn: one that has passed is replaced. While messages wait for a free connection, their turns
 * pass one after the other, and all of them would go in one moment: those go that the channel's throughput has room for.
 */
export async function transmitInTurn(
  deps: Deps,
  attempt: Attempt,
  sender: Sender,
  staleMs: number,
): Promise<AttemptOutcome> {
  const { message, turn, deadline } = attempt;
  const looked: Looked = { sender, atMs: deps.clock.steadyMs(), staleMs };
  let error = turn.isPassed() ? await untilInTurn(deps, attempt, looked) : null;
  while (error === null) {
    const waited: Waited = { error: null, givesBack: false };
    const afterWait = () => useConnection(deps, attempt, looked, waited);
    const seen = await deps.provider.transmit(looked.sender, message, deadline, afterWait);
    if (seen.kind !== 'throttled' || seen.unwritten !== true) turn.use();
    if (waited.error === null && !waited.givesBack) return seen;
    error = waited.error ?? (await untilInTurn(deps, attempt, looked));
  }
  return { kind: 'kept_back', error };
}

/** It is looked at shortly before its turn, so that a look may take its time and the turn is used nonetheless. */
async function untilInTurn({ clock }: Deps, attempt: Attempt, looked: Looked): Promise<MessageError | null> {
  const { turn } = attempt;
  do {
    let error = await turn.come(looked.staleMs / 2);
    const ageMs = clock.steadyMs() + turn.waitMs() - looked.atMs;
    if (error === null && ageMs >= looked.staleMs) error = note(clock, attempt, looked, await attempt.lookAgain());
    error ??= await turn.reach();
    if (error !== null) return error;
    // Bounded: no turn comes after the deadline.
  } while (turn.isPassed());
  return null;
}

/**
 * The sender to transmit by, on the connection that the message has waited for; undefined: `waited` says what else. No turn is
 * waited for here, because others need the connection.
 */
async function useConnection(
  { clock }: Deps,
  attempt: Attempt,
  looked: Looked,
  waited: Waited,
): Promise<Sender | undefined> {
  if (clock.steadyMs() - looked.atMs >= looked.staleMs) {
    const sender = await attempt.lookSoon();
    waited.givesBack = sender === 'later';
    if (sender === 'later') return undefined;
    waited.error = note(clock, attempt, looked, sender);
    if (waited.error !== null) return undefined;
  }
  waited.givesBack = !attempt.turn.mayGo();
  return waited.givesBack ? undefined : looked.sender;
}

/** Notes what was seen by a look. An error: the message must not go any more. */
function note(clock: SteadyClock, { turn }: Attempt, looked: Looked, sender: Sender | undefined): MessageError | null {
  if (sender === undefined) return NOT_ATTEMPTED;
  looked.sender = sender;
  looked.atMs = clock.steadyMs();
  // With a store that is this slow, a look after each wait would let one turn pass after the other.
  if (turn.isPassed()) looked.staleMs = STALE_MS;
  return null;
}

const NOT_ATTEMPTED: MessageError = { code: 'not_attempted' };

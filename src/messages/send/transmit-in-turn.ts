import type { ChannelNow } from '../../channels/channels.ts';
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

/** A message with its turn, and the looks at it before it goes. */
export interface MessageInTurn {
  message: OutboundMessage;
  turn: HeldTurn;
  /** Aborts at the deadline: what has not begun by then is not begun. */
  deadline: AbortSignal;
  /** What it goes out from now, after a wait; refused: it must not go any more. It never rejects. */
  lookAgain(): Promise<ChannelNow>;
  /** The same while it holds a connection, which others need: `later` if that would take long. */
  lookSoon(): Promise<ChannelNow | 'later'>;
}

/** What is known of its message now. */
interface Looked {
  sender: Sender;
  atMs: number;
  /** After this time the message is looked at again before it goes; 0: after any wait. */
  staleMs: number;
}

/** `kept_back`: it did not go to the provider, because there is no turn for it or it must not go any more. */
export type InTurnOutcome = TransmitOutcome | { kind: 'kept_back'; error: MessageError };

/** What came of the wait for a connection. */
interface Waited {
  /** null: the message goes on it. `needs_turn`: it gives it back and takes another turn. An error: it fails. */
  obstacle: MessageError | 'needs_turn' | null;
}

/**
 * Transmits a message once, in its turn; a turn that has passed is replaced. While messages wait for a free connection their turns pass one
 * after the other, and then all of them would go in one moment. Of these only as many go as the channel's throughput has room for.
 */
export async function transmitInTurn(
  deps: Deps,
  one: MessageInTurn,
  sender: Sender,
  staleMs: number,
): Promise<InTurnOutcome> {
  const { message, turn, deadline } = one;
  const looked: Looked = { sender, atMs: deps.clock.steadyMs(), staleMs };
  let error = turn.isPassed() ? await untilInTurn(deps, one, looked) : null;
  while (error === null) {
    const waited: Waited = { obstacle: null };
    const afterWait = () => useConnection(deps, one, looked, waited);
    const seen = await deps.provider.transmit(looked.sender, message, deadline, afterWait);
    if (seen.kind !== 'throttled' || seen.unwritten !== true) turn.use();
    const { obstacle } = waited;
    if (obstacle === null) return seen;
    error = obstacle === 'needs_turn' ? await untilInTurn(deps, one, looked) : obstacle;
  }
  return { kind: 'kept_back', error };
}

/** Waits for the turn. The message is looked at shortly before, so that the look may take its time and the turn is used all the same. */
async function untilInTurn({ clock }: Deps, one: MessageInTurn, looked: Looked): Promise<MessageError | null> {
  const { turn } = one;
  do {
    let error = await turn.come(looked.staleMs / 2);
    const ageMs = clock.steadyMs() + turn.waitMs() - looked.atMs;
    if (error === null && ageMs >= looked.staleMs) error = note(clock, one, looked, await one.lookAgain());
    error ??= await turn.reach();
    if (error !== null) return error;
    // Bounded: no turn comes after the deadline.
  } while (turn.isPassed());
  return null;
}

/**
 * Decides what becomes of a message that has got the connection it has waited for. Returns the sender to transmit by; undefined: `waited`
 * says why it does not go. Nothing here waits for a turn, because others need the connection.
 */
async function useConnection(
  { clock }: Deps,
  one: MessageInTurn,
  looked: Looked,
  waited: Waited,
): Promise<Sender | undefined> {
  if (clock.steadyMs() - looked.atMs >= looked.staleMs) {
    const now = await one.lookSoon();
    waited.obstacle = now === 'later' ? 'needs_turn' : note(clock, one, looked, now);
  }
  if (waited.obstacle === null && !one.turn.mayGo()) waited.obstacle = 'needs_turn';
  return waited.obstacle === null ? looked.sender : undefined;
}

/** Notes what was seen by a look. An error: the message must not go any more. */
function note(clock: SteadyClock, { turn }: MessageInTurn, looked: Looked, now: ChannelNow): MessageError | null {
  if (now.kind === 'refused') return now.error;
  looked.sender = now.channel.sender;
  looked.atMs = clock.steadyMs();
  // With a store that is this slow, a look after each wait would let one turn pass after the other.
  if (turn.isPassed()) looked.staleMs = STALE_MS;
  return null;
}

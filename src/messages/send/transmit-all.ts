import type { GivenTurn } from '../../channels/pacing.ts';
import type { IntendedMessage, Outcome } from '../message.ts';
import type { Known } from './settlements.ts';
import { withoutId } from './transmit.ts';
import type { TransmitCall, TransmitDeps } from './transmit-call.ts';
import { transmitOne } from './transmit-one.ts';

/** A message that was in flight at the deadline. */
export interface LateMessage {
  message: IntendedMessage;
  outcome: Promise<Outcome>;
}

/**
 * Transmits all messages at once, each in its turn. Every message that has not failed before has one. A message that is in flight at the
 * deadline is `unknown` in the answer, and settled later. `onOutcome` is told of each message whose outcome is known before.
 */
export async function transmitAll(
  deps: TransmitDeps,
  call: TransmitCall,
  turns: readonly (GivenTurn | undefined)[],
  onOutcome?: (known: Known) => void,
): Promise<{ known: Known[]; late: LateMessage[] }> {
  const { deadlineMs } = call;
  const deadline = new AbortController();
  const leftInFlight = Promise.withResolvers<'in_flight'>();
  const end = () => {
    deadline.abort();
    // Two rounds of the event loop later, so that what had not begun is told apart from what is in flight.
    setImmediate(() => setImmediate(() => leftInFlight.resolve('in_flight')));
  };
  const leftMs = deadlineMs - deps.clock.steadyMs();
  // The first commit may have taken all the time there was: then nothing is begun.
  if (leftMs <= 0) end();
  const timer = setTimeout(end, Math.max(0, leftMs));
  const late: LateMessage[] = [];
  try {
    const known = await Promise.all(
      call.intended.map(async (message, place) => {
        const outcome = transmitOne({ deps, call, message, deadline: deadline.signal }, turns[place]);
        const first = await Promise.race([outcome, leftInFlight.promise]);
        if (first !== 'in_flight') {
          const one = { message, outcome: first };
          onOutcome?.(one);
          return one;
        }
        late.push({ message, outcome });
        const error = { code: 'outcome_unknown', detail: IN_FLIGHT } as const;
        return { message, outcome: withoutId('unknown', error, new Date(deps.clock.nowMs())) };
      }),
    );
    return { known, late };
  } finally {
    clearTimeout(timer);
  }
}

const IN_FLIGHT = 'The provider had not answered at the deadline';

import type { SendingChannel } from '../../channels/channels.ts';
import type { GivenTurn, Pacing } from '../../channels/pacing.ts';
import { type IntendedMessage, personOf } from '../message.ts';
import { TAKING_TURN_MS } from './held-turn.ts';

interface Wish {
  channel: SendingChannel;
  intended: readonly IntendedMessage[];
  /** Of the steady clock. */
  deadlineMs: number;
}

/**
 * Paces what may go: a message whose turn cannot come in time fails at once, and one that must wait is `pending`. Returns
 * the turns, each at the place of its message; undefined for those that have failed, by now or before.
 */
export async function giveTurns(
  { pacing }: { pacing: Pacing },
  { channel, intended, deadlineMs }: Wish,
): Promise<(GivenTurn | undefined)[]> {
  const going = intended.filter(({ error }) => error === null);
  const turns = await pacing.turnsFor(channel, going.map(personOf), deadlineMs - TAKING_TURN_MS);
  const given = new Map(going.map((message, place) => [message, turns[place]]));
  return intended.map((message) => {
    const turn = given.get(message);
    if (turn?.kind === 'never') {
      message.status = 'failed';
      message.error = turn.error;
      return undefined;
    }
    if (turn?.kind === 'later') message.status = 'pending';
    return turn;
  });
}

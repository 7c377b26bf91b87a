import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { SendingChannel } from '../../channels/channels.ts';
import type { GivenTurn, Pacing, Turn } from '../../channels/pacing.ts';
import type { SteadyClock } from '../../kernel/clock.ts';
import type { MessageError } from '../../kernel/message-errors.ts';
import { type IntendedMessage, personOf } from '../message.ts';
import { onceStoreTells } from './once-store-tells.ts';
import { tellFault } from './tell-fault.ts';

/** A turn this close to the deadline is of no use: taking it is committed before the message goes. */
export const TAKING_TURN_MS = 250;
/** The same for one more try of a message: the provider's answer would miss the deadline, and its refusal is known. */
const ANSWER_MS = 500;

interface Deps {
  pacing: Pacing;
  clock: SteadyClock;
  log: Logger;
}

interface Holder {
  channel: SendingChannel;
  message: IntendedMessage;
  /** Of the steady clock. */
  deadlineMs: number;
  deadline: AbortSignal;
}

/**
 * The turn of a message on its way, until it is used. A method that returns an error tells by it why the message fails and does not go;
 * null: it may go. No turn is taken that comes after the deadline. While one turn of the channel is replaced by another, the message
 * keeps its turn of the person, until that is used or given back.
 */
export class HeldTurn {
  readonly #deps: Deps;
  readonly #holder: Holder;
  #turn: GivenTurn;
  #lastMs: number;
  #isUsed = false;

  constructor(deps: Deps, holder: Holder, given: GivenTurn) {
    this.#deps = deps;
    this.#holder = holder;
    this.#turn = given;
    this.#lastMs = holder.deadlineMs - TAKING_TURN_MS;
  }

  /** Whether it is too late to use it. */
  isPassed(): boolean {
    return this.#deps.clock.steadyMs() > this.#turn.untilMs;
  }

  /** Whether the message may go on the connection that it has waited for, although its turn may have passed meanwhile. */
  mayGo(): boolean {
    return this.#deps.pacing.mayGo(this.#holder.channel, this.isPassed());
  }

  /** How long it is until the turn's time. */
  waitMs(): number {
    return Math.max(0, this.#turn.atMs - this.#deps.clock.steadyMs());
  }

  /** Waits until the turn's time, or until `aheadMs` before it. */
  async reach(aheadMs = 0): Promise<MessageError | null> {
    const { deadline } = this.#holder;
    const waitMs = this.waitMs() - aheadMs;
    if (waitMs <= 0) return deadline.aborted ? NOT_ATTEMPTED : null;
    try {
      await wait(waitMs, undefined, { signal: deadline });
      return null;
    } catch {
      return NOT_ATTEMPTED; // The deadline came first.
    }
  }

  /**
   * Waits as `reach` does, but takes another turn first where that is needed: if this one has passed, or if it is only the person's and
   * its time has come, so that one of the channel must be added.
   */
  async come(aheadMs = 0): Promise<MessageError | null> {
    const { isReserved } = this.#turn;
    let error = isReserved ? null : await this.reach();
    if (error === null && (!isReserved || this.isPassed())) error = await this.takeAnother();
    return error ?? this.reach(aheadMs);
  }

  /** Takes another turn of the channel in its place, and does not wait for it. */
  takeAnother(): Promise<MessageError | null> {
    return this.#take(() => this.#deps.pacing.anotherTurn(this.#holder.channel, this.#lastMs));
  }

  /** Takes a turn for one more try, of the channel and of the person, and does not wait for it. */
  repeat(): Promise<MessageError | null> {
    const { channel, message, deadlineMs } = this.#holder;
    this.#lastMs = deadlineMs - ANSWER_MS;
    if (!this.#isUsed) return this.takeAnother();
    return this.#take(async () => (await this.#deps.pacing.turnsFor(channel, [personOf(message)], this.#lastMs))[0]);
  }

  /** The provider may have seen the message, and counts it. */
  use(): void {
    this.#isUsed = true;
  }

  /** The message will not go any more: a turn that was not used must not count for its person. */
  giveBack(): void {
    const { channel, message } = this.#holder;
    if (!this.#isUsed) this.#deps.pacing.giveBack(channel, [personOf(message)]);
    this.#isUsed = true;
  }

  async #take(ask: () => Promise<Turn | undefined>): Promise<MessageError | null> {
    try {
      const turn = await onceStoreTells(ask, this.#holder.deadline);
      if (turn === undefined) return NOT_ATTEMPTED;
      if (turn.kind === 'never') return turn.error;
      this.#turn = turn;
      this.#isUsed = false;
      return null;
    } catch (error) {
      // The store cannot be asked before the deadline. Without a turn the message may not go.
      if (!this.#holder.deadline.aborted) tellFault(this.#deps.log, error);
      return NOT_ATTEMPTED;
    }
  }
}

const NOT_ATTEMPTED: MessageError = { code: 'not_attempted' };

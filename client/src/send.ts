import { WaypostError } from './errors.ts';
import type { Http } from './http.ts';
import type { CallOptions } from './options.ts';
import type { SendAnswer } from './results.ts';
import type { SendBody } from './types.ts';

export interface SendOptions extends CallOptions {
  /**
   * Names this send: 1 to 255 visible ASCII characters. If you give none, one is made. Give your own key and keep it, if you must be able
   * to repeat the send after a crash of your process.
   */
  idempotencyKey?: string | undefined;
  /** A W3C `traceparent`. It is passed on to your endpoints with the events of this send. */
  traceparent?: string | undefined;
}

/** The aggregate answer, and whether it is the answer to an earlier try with the same key. */
export type Sent = SendAnswer & {
  /**
   * Whether an earlier try with the same key was answered so. It may have been of an earlier call, and then this call sent nothing; or of this
   * call, which repeats a try whose answer was lost. Nothing was sent twice in either case.
   */
  replayed: boolean;
};

/**
 * Makes one logical send. It is repeated with the same key and the same bytes as long as its outcome is open, so that nobody gets a message
 * twice. The entries of the answer say what happened to each recipient.
 */
export type Send = (body: SendBody, options?: SendOptions) => Promise<Sent>;

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

export function createSend(http: Http): Send {
  return async (body, { idempotencyKey = crypto.randomUUID(), traceparent, signal } = {}) => {
    // Any other value would be converted to a text: null would be the same key for every send.
    if (typeof idempotencyKey !== 'string' || !VISIBLE_ASCII.test(idempotencyKey))
      throw new TypeError('idempotencyKey must be 1 to 255 visible ASCII characters.');
    if (traceparent !== undefined && !VISIBLE_ASCII.test(traceparent))
      throw new TypeError('traceparent must have the form that W3C Trace Context says.');
    const headers = { 'idempotency-key': idempotencyKey, ...(traceparent !== undefined && { traceparent }) };
    const call = { method: 'POST', path: '/api/v1/messages/send', body, headers, proof: 'results', signal } as const;
    try {
      const answer = await http.callWithHeaders<SendAnswer>({ ...call, repeatable: 'always' });
      return { ...answer.body, replayed: answer.headers.get('idempotent-replayed') === 'true' };
    } catch (error) {
      if (error instanceof WaypostError) error.idempotencyKey = idempotencyKey;
      throw error;
    }
  };
}

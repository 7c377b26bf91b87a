import { randomUUID } from 'node:crypto';
import { WaypostError } from '../client/src/index.ts';
import { clientOf } from './client-of.ts';
import { type Invocation, type Options, textOf, textsOf } from './command-spec.ts';
import { bodyOf, type Component, type Content, composeSend, readContent } from './content.ts';
import { withDetails } from './detail-of.ts';
import { explainSilence } from './explain-silence.ts';
import { EXIT, Failure, usage } from './failure.ts';
import { failureOfClient } from './problem.ts';
import { stopOnCtrlC } from './stop-on-ctrl-c.ts';

const SENT = { TO: 'to', STATUS: 'status', ID: 'id', ERROR: 'error.code', DETAIL: 'detail' };
const VALIDATED = {
  TO: 'to',
  STATUS: 'status',
  ERROR: 'error.code',
  DETAIL: 'detail',
  WARNING: 'warnings.0.code',
};

/**
 * Codes that refuse the bytes or the key of a send. All tries have the same bytes and key, and a try that had sent would have been
 * replayed. So with such a refusal no try has sent.
 */
const REFUSED_AT_EVERY_TRY: readonly string[] = [
  ...['malformed_json', 'idempotency_key_invalid', 'payload_too_large', 'unsupported_media_type', 'invalid_request'],
  ...['too_many_recipients', 'idempotency_mismatch', 'no_channel', 'unknown_channel'],
];

/** Makes one send. It is repeated under its key as long as its outcome is open. */
export async function sendOnce({ api, options, out, around }: Invocation): Promise<number> {
  for (const name of ['report', 'delimiter', 'force'])
    if (options[name] !== undefined) throw usage(`--${name} works with --csv only.`);
  const body = composeBody(options);
  const given = textOf(options, 'idempotencyKey');
  if (given !== undefined && !/^[\x21-\x7e]{1,255}$/.test(given))
    throw usage('--idempotency-key must be 1 to 255 visible ASCII characters.');
  const key = given ?? randomUUID();
  const stop = stopOnCtrlC(around);
  const tries = watchTries();
  const { replayed, ...answer } = await clientOf(api, { fetch: tries.fetch })
    .send(body, { idempotencyKey: key, signal: stop })
    .catch((error: unknown) => {
      if (error === stop.reason)
        throw new Failure(`Ended before there was an answer.\n${adviceOn(key)}`, EXIT.interrupted);
      throw withKey(failureOfClient(error, api), error, tries.mayHaveSent());
    });
  if (out.json) out.line(JSON.stringify(answer));
  else out.table(withDetails(answer.results), SENT);
  const { accepted_count: accepted, failed_count: failed, unknown_count: unknown } = answer;
  out.note(`${accepted} accepted, ${failed} failed, ${unknown} unknown. Request ${answer.request_id}.`);
  // The earlier try may be one of this command, whose answer was lost: then this command has sent.
  if (replayed)
    out.note(
      tries.mayHaveSentBefore()
        ? 'This is the answer to an earlier try with this key: nothing was sent twice.'
        : 'This is the answer of the first send with this key: nothing was sent now.',
    );
  return failed + unknown === 0 ? EXIT.done : EXIT.failed;
}

/** Checks the same send without sending. */
export async function validate({ api, options, out }: Invocation): Promise<number> {
  const answer = await api.call('POST', '/api/v1/messages/validate', { body: composeBody(options), harmless: true });
  const { results, valid_count: valid, invalid_count: invalid }: Record<string, unknown> = Object(answer.json);
  if (out.json) out.thing(answer);
  else out.table(withDetails(results), VALIDATED);
  out.note(`${valid} valid, ${invalid} invalid. Nothing was sent.`);
  return invalid === 0 ? EXIT.done : EXIT.failed;
}

function composeBody(options: Options) {
  const to = textsOf(options, 'to').flatMap((numbers) => numbers.split(/[,;\r\n\v\f\u0085\u2028\u2029]/));
  const recipients = to.filter((number) => number.trim() !== '').map((number) => ({ to: number.trim() }));
  if (recipients.length === 0) throw usage('Say who gets it: --to +447700900123, or --csv FILE.');
  const { content, params } = readContent(options);
  return composeSend(withComponents(content, bodyOf(params)), recipients, options);
}

function withComponents(content: Content, more: readonly Component[]): Content {
  if (content.type === 'text' || more.length === 0) return content;
  return {
    ...content,
    template: { ...content.template, components: [...(content.template.components ?? []), ...more] },
  };
}

/** Watches every try, because the last one alone does not show what became of the earlier ones. */
function watchTries() {
  let mayHaveSent = false;
  let mayHaveSentBefore = false;
  const watched: typeof fetch = async (...call) => {
    mayHaveSentBefore = mayHaveSent;
    try {
      const answer = await fetch(...call);
      const { status } = answer;
      // Of the refusals only two may mean that something is sent: a 408, of a proxy that has passed the call on and waited in vain, and a
      // 409, because a send with this key is under way.
      if (status < 300 || status === 408 || status === 409 || status >= 500) mayHaveSent = true;
      return answer;
    } catch (error) {
      if (!explainSilence(error).unconnected) mayHaveSent = true;
      throw error;
    }
  };
  return { fetch: watched, mayHaveSent: () => mayHaveSent, mayHaveSentBefore: () => mayHaveSentBefore };
}

/** If it is open whether the send was carried out, adds the key, with which it can be repeated safely. */
function withKey(failure: Failure, error: unknown, mayHaveSent: boolean): Failure {
  if (!(error instanceof WaypostError) || error.idempotencyKey === undefined) return failure;
  if (!mayHaveSent || REFUSED_AT_EVERY_TRY.includes(error.code)) return failure;
  return new Failure(`${failure.message}\n${adviceOn(error.idempotencyKey)}`);
}

function adviceOn(key: string): string {
  return `It is not known whether it was sent. Repeat it safely, within 24 hours, with --idempotency-key ${key}`;
}

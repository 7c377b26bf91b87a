import assert from 'node:assert/strict';
import { firstIdOfMs, newId } from '../../src/kernel/ids.ts';
import { createSealer } from '../../src/kernel/sealed.ts';
import { signBytes } from '../../src/kernel/signature.ts';
import { insertPacks } from '../../src/notifications/pack-store.ts';
import { callApi, type TestAnswer } from './call-api.ts';
import type { TestGateway } from './gateway.ts';
import { until } from './until.ts';

export const CALLBACK_PATH = '/api/messaging/webhook';

/** The channel that a test account has from the beginning, in the provider's terms. */
export interface TestLine {
  phoneNumberId: string;
  businessAccountId: string;
  phoneNumber: string;
}

export async function lineOf({ database, accountId }: TestGateway, of = accountId): Promise<TestLine> {
  const [line] = await database.query<TestLine>(
    `select phone_number_id as "phoneNumberId", business_account_id as "businessAccountId", phone_number as "phoneNumber"
     from channel where account_id = $1 and mode = 'test'`,
    [of],
  );
  if (line === undefined) throw new Error('The account has no test channel');
  return line;
}

/** Connects another channel without asking the provider. Returns its id (a UUID). */
export async function addChannel(
  { database, secrets }: TestGateway,
  channel: TestLine & { accountId: string; mode: 'live' | 'test' },
): Promise<string> {
  const id = newId();
  await database.query(
    `insert into channel (account_id, id, mode, phone_number_id, business_account_id, phone_number, access_token_sealed)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      channel.accountId,
      id,
      channel.mode,
      channel.phoneNumberId,
      channel.businessAccountId,
      channel.phoneNumber,
      createSealer(secrets.masterKey).seal('token', id),
    ],
  );
  return id;
}

/** Posts a body to the callback, signed with this secret. A body that is not a text or bytes is sent as JSON. */
export function postSigned(
  { url, secret }: { url: string; secret: string },
  body: unknown,
  headers: Record<string, string> = {},
): Promise<TestAnswer> {
  const bytes = bytesOf(body);
  return callApi(url, 'POST', CALLBACK_PATH, {
    key: null,
    body: bytes,
    headers: { 'x-hub-signature-256': signBytes(bytes, secret), ...headers },
  });
}

function bytesOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/**
 * Stores notifications of the sandbox as if they had been posted during one commit, to a node whose clock says `nowMs` if that is given.
 * The processor finds them by itself.
 */
export async function packTogether(
  { database }: TestGateway,
  bodies: readonly unknown[],
  nowMs?: number,
): Promise<void> {
  await insertPacks(
    database,
    bodies.map((body, place) => {
      const id = nowMs === undefined ? newId() : firstIdOfMs(nowMs + place);
      return { id, origin: 'test' as const, body: bytesOf(body), busy: false };
    }),
  );
}

/** The address and the secret with which the sandbox posts. */
export function asSandbox({ url, secrets }: TestGateway): { url: string; secret: string } {
  return { url, secret: secrets.sandboxAppSecret };
}

/** The address and the secret with which the provider posts. */
export function asProvider({ url, secrets }: TestGateway): { url: string; secret: string } {
  return { url, secret: secrets.appSecrets[0] ?? '' };
}

/** A notification of the field `messages` about a phone number. */
export function messagesBody(line: TestLine, value: object): object {
  const metadata = { display_phone_number: line.phoneNumber.slice(1), phone_number_id: line.phoneNumberId };
  return changeBody(line, 'messages', { messaging_product: 'whatsapp', metadata, ...value });
}

/** The same news with the same time counts as a repetition, which has no second effect. */
export function changeBody(
  line: Pick<TestLine, 'businessAccountId'>,
  field: string,
  value: object,
  seconds = 1_767_225_600,
): object {
  return {
    object: 'whatsapp_business_account',
    entry: [{ id: line.businessAccountId, time: seconds, changes: [{ field, value }] }],
  };
}

/** One status as the provider writes it. `messageId` is our id, in the opaque member. */
export function statusOf(
  status: string,
  { providerId, messageId, ...more }: { providerId: string; messageId?: string | undefined; [member: string]: unknown },
): object {
  return {
    id: providerId,
    status,
    timestamp: '1767225600',
    recipient_id: '447700900123',
    ...(messageId !== undefined && { biz_opaque_callback_data: messageId }),
    ...(status === 'failed' && { errors: [{ code: 131026, title: 'Message undeliverable' }] }),
    ...more,
  };
}

/** A text from a person, as the provider writes it. */
export function textFrom(phone: string, id: string, more: object = {}): object {
  return { from: phone.slice(1), id, timestamp: '1767225600', type: 'text', text: { body: 'Hello' }, ...more };
}

/** A message as the API shows it now. */
// biome-ignore lint/suspicious/noExplicitAny: a test asserts on every member that it reads.
export async function readMessage(gateway: TestGateway, id: string): Promise<any> {
  return (await gateway.call('GET', `/api/v1/messages/${id}`)).json;
}

/** Sends one text and returns its entry in the answer. */
export async function sendOne(
  gateway: TestGateway,
  to = '+447700900123',
): Promise<{ status: string; id: string; message_id: string }> {
  const body = { to: [to], type: 'text', text: { body: 'Your parcel is here' } };
  const answer = await gateway.call('POST', '/api/v1/messages/send', { body });
  if (answer.status !== 200) throw new Error(`The send was answered with ${answer.status}: ${answer.text}`);
  return answer.json.results[0];
}

interface ListedNotification {
  id: string;
  received_at: string;
  state: string;
  kinds: string[];
  error: string | null;
  attempts: number;
}

/** The platform's list of notifications, newest first. */
export async function listNotifications(gateway: TestGateway, query = ''): Promise<ListedNotification[]> {
  const path = `/platform/v1/notifications?limit=100${query}`;
  return (await gateway.call('GET', path, { key: gateway.platformKey })).json.data;
}

/**
 * Whether everything that was received has been processed, and nothing is due. It goes by the clock and not by `now()`, which is a moment
 * before the rows that the statement sees: rows that were committed in between would not count as due yet.
 */
export async function isProcessed({ database }: TestGateway): Promise<boolean> {
  const [row] = await database.query<{ due: number }>(
    `select (select count(*) from notification where state = 'waiting' and next_at <= clock_timestamp())
       + (select count(*) from notification_pack) as due`,
  );
  return row?.due === 0;
}

/** Posts bodies as the sandbox would, all at once, and waits until they are processed. */
export async function postAndApply(gateway: TestGateway, ...bodies: unknown[]): Promise<void> {
  const answers = await Promise.all(bodies.map((body) => postSigned(asSandbox(gateway), body)));
  for (const { status } of answers) assert.equal(status, 200);
  await until(() => isProcessed(gateway));
}

/** Waits until everything that was received has been processed, and deletes it. */
export async function forgetNotifications(gateway: TestGateway): Promise<void> {
  await until(() => isProcessed(gateway));
  await gateway.database.query('delete from notification');
}

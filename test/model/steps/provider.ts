import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Mode } from '../../../src/kernel/principal.ts';
import { changeBody, isProcessed, postSigned, statusOf, type TestLine, textFrom } from '../../support/notifications.ts';
import { until } from '../../support/until.ts';
import { type ModelAccount, pick, record } from '../model.ts';
import type { Real } from '../real.ts';
import { applyReport, UNKNOWN_STATUS } from '../report-rules.ts';
import { anAccount, step } from '../step.ts';

const aMode = fc.constantFrom<Mode>('test', 'test', 'live');
const PEOPLE = ['+447700900101', '+447700900102'];
let told = 0;
/** Each preference is later than the one before. */
let preferredSeconds = 1_767_225_600;

/** The provider says what became of a message: a step, one twice, out of order, or one that nobody knows. */
export const report = step(
  'report',
  fc.record({
    ...{ account: anAccount, mode: aMode, message: fc.nat({ max: 3 }) },
    status: fc.constantFrom('sent', 'delivered', 'read', 'failed', UNKNOWN_STATUS),
  }),
  async (model, real, { account: which, mode, message: index, status }) => {
    const account = pick(model.accounts, which);
    const data = account?.data[mode];
    const message =
      data &&
      pick(
        data.messages.filter(({ direction }) => direction === 'outbound'),
        index,
      );
    if (account === undefined || data === undefined || message === undefined || account.deleted) return;
    // One whose answer was never seen is known by the opaque member alone.
    message.providerId ??= `wamid.model-${++told}`;
    await post(real, account, mode, {
      statuses: [statusOf(status, { providerId: message.providerId, messageId: message.id })],
    });
    const type = applyReport(message, status);
    if (type !== undefined) record(data, { type, messageId: message.id });
  },
);

/** A person writes. The provider may say it twice. */
export const write = step(
  'write',
  fc.record({
    account: anAccount,
    mode: aMode,
    person: fc.constantFrom(...PEOPLE),
    days: fc.constantFrom(0, 2),
    twice: fc.boolean(),
  }),
  async (model, real, { account: which, mode, person, days, twice }) => {
    const account = pick(model.accounts, which);
    if (account === undefined || account.deleted || account.lines[mode] === undefined) return;
    const data = account.data[mode];
    const providerId = `wamid.model-${++told}`;
    const timestamp = String(Math.floor(Date.now() / 1_000) - days * 86_400);
    const value = {
      contacts: [{ wa_id: person.slice(1), profile: { name: 'Ada' } }],
      messages: [textFrom(person, providerId, { timestamp })],
    };
    for (let times = twice ? 2 : 1; times > 0; times -= 1) await post(real, account, mode, value);
    const key = await real.gateway.createKey({ accountId: account.id, mode });
    const { json } = await real.gateway.call('GET', `/api/v1/messages?message_id=${providerId}`, { key });
    assert.equal(json.data.length, 1, 'the message that was written is there once');
    const id = json.data[0].id;
    data.messages.push({
      ...{ id, direction: 'inbound', person, clientReference: null, status: 'received', providerId },
      ...{ refused: false, reported: new Set(), timeline: [{ status: 'received', note: null }], transmits: 0 },
    });
    if (days === 0) data.wroteLately.add(person);
    record(data, { type: 'message.received', messageId: id });
  },
);

/** A person wants no more marketing of the business account, or wants it again. */
export const prefer = step(
  'prefer',
  fc.record({
    account: anAccount,
    mode: aMode,
    person: fc.constantFrom(...PEOPLE),
    value: fc.constantFrom('stop', 'resume'),
  }),
  async (model, real, { account: which, mode, person, value }) => {
    const account = pick(model.accounts, which);
    if (account === undefined || account.deleted || account.lines[mode] === undefined) return;
    const preference = { wa_id: person.slice(1), category: 'marketing_messages', value, timestamp: ++preferredSeconds };
    await post(real, account, mode, { user_preferences: [preference] }, 'user_preferences');
    if (value === 'stop') account.data[mode].stopped.add(person);
    else account.data[mode].stopped.delete(person);
  },
);

async function post(
  { gateway }: Real,
  { lines }: ModelAccount,
  mode: Mode,
  value: object,
  field = 'messages',
): Promise<void> {
  const line = lines[mode];
  if (line === undefined) throw new Error('Nothing comes to an account without a channel.');
  const { url, secrets } = gateway;
  const secret = mode === 'test' ? secrets.sandboxAppSecret : (secrets.appSecrets[0] ?? '');
  const { status } = await postSigned({ url, secret }, notificationOf(line, field, value));
  assert.equal(status, 200);
  await until(() => isProcessed(gateway));
}

function notificationOf(line: TestLine, field: string, value: object): object {
  const metadata = { display_phone_number: line.phoneNumber.slice(1), phone_number_id: line.phoneNumberId };
  return changeBody(line, field, { messaging_product: 'whatsapp', metadata, ...value });
}

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Mode, SCOPES } from '../../../src/kernel/principal.ts';
import { lineOf } from '../../support/notifications.ts';
import { assertProblem } from '../../support/problem.ts';
import { until } from '../../support/until.ts';
import { emptyData, type Model, pick, record } from '../model.ts';
import type { Real } from '../real.ts';
import { anAccount, anIndex, step } from '../step.ts';

let numbers = 0;

/** An account with a key for tests that may do everything. */
export async function makeAccount(model: Model, real: Real): Promise<void> {
  const { status, json, headers, text } = await byPlatform(real, 'POST', '/accounts', { name: 'Model' });
  assert.equal(status, 201, text);
  assert.ok(headers.get('location')?.endsWith(`/platform/v1/accounts/${json.id}`));
  const lines = { test: await lineOf(real.gateway, json.id), live: undefined };
  const data = { test: emptyData(), live: emptyData() };
  model.accounts.push({ id: json.id, lines, suspended: false, deleted: false, keys: [], data });
  await makeKeyOf(model, real, { account: model.accounts.length - 1, mode: 'test', scopes: undefined });
}

interface KeyWish {
  account: number;
  mode: Mode;
  scopes: (typeof SCOPES)[number][] | undefined;
}

async function makeKeyOf(model: Model, real: Real, { account: which, mode, scopes }: KeyWish): Promise<void> {
  const account = pick(model.accounts, which);
  if (account === undefined) return;
  const answer = await byPlatform(real, 'POST', `/accounts/${account.id}/keys`, {
    name: 'Model',
    mode,
    ...(scopes && { scopes }),
  });
  if (account.deleted) return void assertProblem(answer, 'not_found');
  assert.equal(answer.status, 201, answer.text);
  account.keys.push({
    id: answer.json.id,
    secret: answer.json.key,
    mode,
    scopes,
    revoked: false,
    expired: false,
    rolled: false,
  });
}

export const makeKey = step(
  'makeKey',
  fc.record({
    ...{ account: anAccount, mode: fc.constantFrom<Mode>('test', 'live') },
    scopes: fc.option(fc.subarray([...SCOPES], { minLength: 1 }), { nil: undefined }),
  }),
  makeKeyOf,
);

export const revokeKey = step(
  'revokeKey',
  fc.record({ account: anAccount, key: anIndex }),
  async (model, real, given) => {
    const account = pick(model.accounts, given.account);
    const key = account && pick(account.keys, given.key);
    if (account === undefined || key === undefined) return;
    const answer = await byPlatform(real, 'DELETE', `/keys/${key.id}`);
    if (key.revoked || account.deleted) return void assertProblem(answer, 'not_found');
    assert.equal(answer.status, 204);
    key.revoked = true;
    await untilRefused(real, key.secret);
  },
);

export const rollKey = step(
  'rollKey',
  fc.record({ account: anAccount, key: anIndex, overlap: fc.constantFrom(0, 3_600) }),
  async (model, real, given) => {
    const account = pick(model.accounts, given.account);
    const key = account && pick(account.keys, given.key);
    if (account === undefined || key === undefined) return;
    const answer = await byPlatform(real, 'POST', `/keys/${key.id}/roll`, { overlap_seconds: given.overlap });
    if (key.revoked || key.rolled || account.deleted) return void assertProblem(answer, 'not_found');
    assert.equal(answer.status, 201, answer.text);
    assert.notEqual(answer.json.id, key.id);
    key.rolled = true;
    account.keys.push({ ...key, rolled: false, id: answer.json.id, secret: answer.json.key });
    if (given.overlap > 0) return;
    key.expired = true;
    await untilRefused(real, key.secret);
  },
);

export const suspend = step(
  'suspend',
  fc.record({ account: anAccount, suspended: fc.constantFrom(true, false, false) }),
  async (model, real, given) => {
    const account = pick(model.accounts, given.account);
    if (account === undefined) return;
    const answer = await byPlatform(real, 'PATCH', `/accounts/${account.id}`, { suspended: given.suspended });
    if (account.deleted) return void assertProblem(answer, 'not_found');
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.suspended, given.suspended);
    if (account.suspended === given.suspended) return;
    account.suspended = given.suspended;
    for (const data of Object.values(account.data)) record(data, { type: 'account.updated' });
  },
);

export const remove = step('remove', fc.record({ account: fc.constant(1) }), async (model, real, given) => {
  const account = model.accounts[given.account];
  if (account === undefined) return;
  const answer = await byPlatform(real, 'DELETE', `/accounts/${account.id}`);
  if (account.deleted) return void assertProblem(answer, 'not_found');
  assert.equal(answer.status, 202, answer.text);
  account.deleted = true;
  for (const { secret } of account.keys) await untilRefused(real, secret);
});

export const connect = step('connect', fc.record({ account: anAccount }), async (model, real, { account: which }) => {
  const account = pick(model.accounts, which);
  if (account === undefined || account.deleted || account.lines.live !== undefined) return;
  const number = 7_000_000 + ++numbers;
  const line = { phoneNumberId: `77${number}`, businessAccountId: `66${number}`, phoneNumber: `+1555${number}` };
  const answer = await byPlatform(real, 'POST', `/accounts/${account.id}/channels`, {
    ...{ phone_number_id: line.phoneNumberId, business_account_id: line.businessAccountId },
    ...{ display_phone_number: line.phoneNumber, access_token: 'model', mode: 'live', default: true },
  });
  assert.equal(answer.status, 201, answer.text);
  account.lines.live = line;
});

/** A change of a key is effective within two seconds. */
async function untilRefused({ gateway }: Real, key: string): Promise<void> {
  await until(async () => (await gateway.call('GET', '/api/v1/account', { key })).status === 401, 2_000);
}

function byPlatform({ gateway }: Real, method: string, path: string, body?: object) {
  return gateway.call(method, `/platform/v1${path}`, { key: gateway.platformKey, ...(body && { body }) });
}

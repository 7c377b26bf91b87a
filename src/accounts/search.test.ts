import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { assertProblem } from '../../test/support/problem.ts';

const ACCOUNTS = '/platform/v1/accounts';
const CHANNEL = {
  access_token: 'placeholder',
  mode: 'test',
  phone_number_id: '4915770001',
  business_account_id: '88002',
};

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
});
after(() => gateway.stop());

const call = (method: string, path: string, body?: unknown) =>
  gateway.call(method, path, { key: gateway.platformKey, ...(body !== undefined && { body }) });

async function search(text: string): Promise<string[]> {
  const { status, json } = await call('GET', `${ACCOUNTS}?limit=100&search=${encodeURIComponent(text)}`);
  assert.equal(status, 200);
  return json.data.map(({ name }: { name: string }) => name);
}

describe('a search among accounts', () => {
  it('finds a part of a name, whatever the case and the accents of its letters', async () => {
    for (const name of ['Äpfel & Söhne', 'Straßenfest', 'STRASSE 7', '100 % Käse', 'ＡＣＭＥ', 'が一'])
      await call('POST', ACCOUNTS, { name });
    assert.deepEqual(await search('äpfel'), ['Äpfel & Söhne']);
    assert.deepEqual(await search('APFEL & SOHNE'), ['Äpfel & Söhne']);
    assert.deepEqual(await search('strasse'), ['STRASSE 7', 'Straßenfest']);
    assert.deepEqual(await search('STRAß'), ['STRASSE 7', 'Straßenfest']);
    assert.deepEqual(await search('%'), ['100 % Käse']);
    assert.deepEqual(await search('acme'), ['ＡＣＭＥ']);
    // Another letter, not an accent.
    assert.deepEqual(await search('か'), []);
    assert.deepEqual(await search('no such name'), []);
  });

  it('finds an account by its id, and by what the provider calls a channel of it', async () => {
    const { id } = (await call('POST', ACCOUNTS, { name: 'Named exactly' })).json;
    const wish = { ...CHANNEL, display_phone_number: '+44 7700 900321' };
    const channel = await call('POST', `${ACCOUNTS}/${id}/channels`, wish);
    assert.equal(channel.status, 201, channel.text);
    const names = [
      id,
      CHANNEL.phone_number_id,
      CHANNEL.business_account_id,
      '+44 7700 900321',
      '447700900321',
      '+447700900321',
    ];
    for (const text of names) assert.deepEqual(await search(text), ['Named exactly'], text);
    assert.deepEqual(await search('44770090032'), []);
    // A plus that was not escaped is a space in a query.
    const unescaped = await call('GET', `${ACCOUNTS}?search=+447700900321`);
    assert.equal(unescaped.json.data.length, 1);
    await call('DELETE', `/platform/v1/channels/${channel.json.id}`);
    assert.deepEqual(await search('447700900321'), []);
  });

  it('goes through all accounts, page by page, newest first, and past deleted ones', async () => {
    await gateway.database.query(
      `insert into account (id, name) select uuidv7_at, case when n % 700 = 0 then 'Needle ' || n else 'Hay' end from (
         select n, ('01890a5d-ac96-7000-8000-' || lpad(n::text, 12, '0'))::uuid as uuidv7_at from generate_series(1, 2100) n) t`,
      [],
    );
    await call('DELETE', `${ACCOUNTS}/01890a5d-ac96-7000-8000-000000001400`);
    const first = (await call('GET', `${ACCOUNTS}?search=needle&limit=1`)).json;
    assert.equal(first.data[0].name, 'Needle 2100');
    const second = (await call('GET', `${ACCOUNTS}?search=needle&limit=1&cursor=${first.next_cursor}`)).json;
    assert.deepEqual([second.data[0].name, second.next_cursor], ['Needle 700', null]);
  });

  it('is for 1 to 200 characters', async () => {
    for (const text of ['', 'a'.repeat(201)]) {
      const faults = assertProblem(await call('GET', `${ACCOUNTS}?search=${text}`), 'invalid_request');
      assert.deepEqual(new Set(faults.map(({ parameter }) => parameter)), new Set(['search']));
    }
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { intendedMessage, newRequest } from '../../../test/support/new-request.ts';
import { NIL_UUID, newId } from '../../kernel/ids.ts';
import type { Owner } from '../../kernel/principal.ts';
import type { NewRequest } from '../commit/begin-store.ts';
import { commitSends } from '../commit/commit-store.ts';
import { listMessages, type MessageFilter } from './list-store.ts';
import { findMessages } from './read-store.ts';

const OWNER: Owner = { accountId: newId(), mode: 'test' };
const FOREIGN: Owner = { accountId: newId(), mode: 'test' };
const LIVE: Owner = { ...OWNER, mode: 'live' };
const [PHONE, OTHER_PHONE, USER_ID] = ['+447700900761', '+447700900762', 'GB.761'];

// In the order of their making.
const one = newRequest(
  [intendedMessage({ phone: PHONE, client_reference: 'r-1' }), intendedMessage({ phone: null, user_id: USER_ID })],
  OWNER,
);
const two = newRequest([intendedMessage({ phone: OTHER_PHONE, client_reference: 'r-2' })], OWNER);
const partly = newRequest([intendedMessage({ phone: OTHER_PHONE }), intendedMessage({ phone: OTHER_PHONE })], OWNER);
const others = [LIVE, FOREIGN].map((owner) =>
  newRequest([intendedMessage({ phone: PHONE, client_reference: 'r-1' })], owner),
);
const [toPhone, toUser] = idsOf(one);
const [toOther] = idsOf(two);
const [settled, open] = idsOf(partly);

let test: TestDatabase;
before(async () => {
  test = await createTestDatabase();
  await commitSends(test.database, { begun: [one, two, partly, ...others], settled: [], completed: [] }, 'new');
  const [message] = partly.intended;
  assert.ok(message);
  const outcome = { status: 'accepted', providerMessageId: 'wamid.1', userId: null, held: false, error: null } as const;
  const { id: requestId, accountId, channelId, mode } = partly;
  const known = { accountId, requestId, channelId, mode, type: 'text', message } as const;
  const told = { ...known, outcome: { ...outcome, at: new Date() } };
  await commitSends(test.database, { begun: [], settled: [told], completed: [] }, 'any');
});
after(() => test.drop());

async function list(filter: Partial<MessageFilter>, owner: Owner = OWNER, limit = 50): Promise<string[]> {
  return (await listMessages(test.database, owner, { since: NIL_UUID, ...filter }, limit)).map(({ id }) => id);
}

describe('messages under way', () => {
  it('are listed newest first to their own account and mode', async () => {
    assert.deepEqual(await list({}), [open, settled, toOther, toUser, toPhone]);
    for (const [place, owner] of [LIVE, FOREIGN].entries())
      assert.deepEqual(await list({}, owner), idsOf(others[place]), `${place}`);
    assert.deepEqual(await list({}, { ...FOREIGN, mode: 'live' }), []);
  });

  it('are narrowed by every filter as others are', async () => {
    const found: [Partial<MessageFilter>, (string | undefined)[]][] = [
      [{ request_id: one.id }, [toUser, toPhone]],
      [{ client_reference: 'r-1' }, [toPhone]],
      [{ phone: PHONE }, [toPhone]],
      [{ user_id: USER_ID }, [toUser]],
      [{ channels: [one.channelId], direction: 'inbound' }, []],
      [{ message_id: 'wamid.1' }, [settled]],
      [{ status: 'transmitting' }, [open, toOther, toUser, toPhone]],
      [{ status: 'accepted' }, [settled]],
      [{ status: 'failed' }, []],
      [{ direction: 'inbound' }, []],
      [{ direction: 'outbound', request_id: partly.id }, [open, settled]],
      [{ since: two.intended[0]?.id ?? '' }, [open, settled, toOther]],
      [{ before: two.intended[0]?.id ?? '' }, [toUser, toPhone]],
    ];
    for (const [filter, expected] of found) assert.deepEqual(await list(filter), expected, JSON.stringify(filter));
    assert.deepEqual(await list({}, OWNER, 2), [open, settled]);
  });

  it('are told by their rows once they have an outcome, although others of their request have none', async () => {
    const listed = await listMessages(test.database, OWNER, { since: NIL_UUID, request_id: partly.id }, 50);
    const found = await findMessages(test.database, OWNER, [settled ?? '', open ?? '']);
    for (const messages of [listed.toReversed(), found])
      assert.deepEqual(
        messages.map(({ status }) => status),
        ['accepted', 'transmitting'],
      );
  });
});

function idsOf(request: NewRequest | undefined): (string | undefined)[] {
  return (request?.intended ?? []).map(({ id }) => id);
}

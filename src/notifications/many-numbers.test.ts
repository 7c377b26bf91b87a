import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { countStatements } from '../../test/support/count-statements.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { addLiveChannel } from '../../test/templates/live-channel.ts';
import { listChannelsOfBusinesses } from '../channels/store.ts';
import { newId } from '../kernel/ids.ts';
import { applyNewsOfChannels, type ChannelItem } from './apply-channels.ts';

let test: TestDatabase;
before(async () => {
  test = await createTestDatabase();
});
after(() => test.drop());

const NAMES_NO_NUMBER = {
  ...{ label: 'test', businessAccountId: undefined, phoneNumberId: undefined, displayPhoneNumber: undefined },
  ...{ subjectBusinessAccountId: undefined, at: undefined, content: {} },
};
const NEWS: ChannelItem[] = [
  {
    ...{ ...NAMES_NO_NUMBER, kind: 'account_update', event: 'disabled_update' },
    ...{ phone: undefined, restrictions: [], ban: undefined, violation: undefined },
  },
  { ...NAMES_NO_NUMBER, kind: 'business_capability', messagingLimit: 'tier_2k', maxPhoneNumbers: 25 },
];

async function applyTo(numbers: number, news: ChannelItem): Promise<{ told: number; statements: number }> {
  const { database } = test;
  const accountId = newId();
  await database.query('insert into account (id, name) values ($1, $2)', [accountId, 'Numbers']);
  for (let n = 0; n < numbers; n++) await addLiveChannel(database, { accountId, businessAccountId: accountId });
  const targets = await listChannelsOfBusinesses(database, [accountId]);
  const { store, statements } = countStatements(database);
  const drafts = await applyNewsOfChannels(store, [{ item: news, targets }]);
  return { told: new Set(drafts.map(({ data }) => JSON.stringify(data))).size, statements: statements() };
}

for (const news of NEWS)
  it(`news of a business account (${news.kind}) reaches fifty numbers with as many statements as one`, async () => {
    const one = await applyTo(1, news);
    const fifty = await applyTo(50, news);
    assert.deepEqual([one.told, fifty.told], [1, 50]);
    assert.equal(fifty.statements, one.statements);
  });

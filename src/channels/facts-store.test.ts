import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { addChannel } from '../../test/support/notifications.ts';
import { claimForFacts, hastenFacts, noteFacts, noteMessagingLimit, readChannels } from './facts-store.ts';
import { listChannelsByNumberId } from './store.ts';

const HOUR_SECONDS = 3_600;
const CHANNELS = 30;

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

describe('claiming channels whose facts are due', () => {
  it('gives each to one of many nodes at once, and to nobody again while they are asked for', async () => {
    for (let number = 0; number < CHANNELS; number++) {
      const line = { phoneNumberId: `66${number}`, businessAccountId: '67', phoneNumber: `+15550660${100 + number}` };
      await addChannel(gateway, { ...line, accountId: gateway.accountId, mode: 'live' });
    }
    const claims = await gateway.database.transaction(async (tx) => {
      // Not due for the gateway's own rounds before this is committed, and then claimed already.
      await tx.query(`update channel set facts_read_at = now() - interval '2 hours' where account_id = $1`, [
        gateway.accountId,
      ]);
      const waits = 'update channel set facts_read_at = $2::timestamptz where account_id = $1 and phone_number_id = $3';
      for (const [since, number] of [
        [null, '6621'],
        [new Date(0), '6622'],
      ] as const) {
        await tx.query(waits, [gateway.accountId, since, number]);
        const [next] = await claimForFacts(tx, HOUR_SECONDS, 1);
        assert.equal(next?.phone_number_id, number, 'what was told of comes first, and then who has waited longest');
      }
      return claimForFacts(tx, HOUR_SECONDS, CHANNELS / 2);
    });
    const rest = await Promise.all(
      Array.from({ length: 6 }, () => claimForFacts(gateway.database, HOUR_SECONDS, CHANNELS / 6)),
    );
    const claimed = [...claims, ...rest.flat()].map(({ id }) => id);
    assert.equal(new Set(claimed).size, claimed.length, 'no channel is claimed twice');
    assert.ok(
      claims.every(({ mode }) => mode === 'live'),
      'test channels are asked for only after a notification',
    );
    // These cannot be asked for, and would take the places of others.
    for (const [status, number] of Object.entries({ suspended: '660', removed: '661' }))
      await gateway.database.query(
        'update channel set status = $2, facts_read_at = null where account_id = $1 and phone_number_id = $3',
        [gateway.accountId, status, number],
      );
    assert.deepEqual(await claimForFacts(gateway.database, HOUR_SECONDS, CHANNELS), []);
  });
});

describe('facts that were read while the clock of the database was ahead', () => {
  it('are due, and no others', async () => {
    const [line, test] = ['6700', '6701'];
    for (const [number, mode] of [
      [line, 'live'],
      [test, 'test'],
    ] as const)
      await addChannel(gateway, {
        ...{ phoneNumberId: number, businessAccountId: '67', phoneNumber: `+1555067${number}` },
        ...{ accountId: gateway.accountId, mode },
      });
    await gateway.database.transaction(async (tx) => {
      // Not due for the gateway's own rounds.
      await tx.query("update channel set facts_read_at = now() + interval '1 minute' where status = 'connected'");
      await tx.query("update channel set facts_read_at = now() + interval '3 days' where phone_number_id = any($1)", [
        [line, test],
      ]);
      assert.equal(await hastenFacts(tx), 1);
      assert.equal(await hastenFacts(tx), 0);
      const claimed = await claimForFacts(tx, HOUR_SECONDS, CHANNELS);
      assert.deepEqual(
        claimed.map(({ phone_number_id: number }) => number),
        [line],
      );
    });
  });
});

describe('noting facts of a channel', () => {
  it('keeps the last messaging limit where the provider tells none, and takes the next one', async () => {
    const line = { phoneNumberId: '6800', businessAccountId: '68', phoneNumber: '+15550680000' };
    const id = await addChannel(gateway, { ...line, accountId: gateway.accountId, mode: 'live' });
    const { accountId, database } = gateway;
    const [target] = await listChannelsByNumberId(database, [line.phoneNumberId]);
    assert.ok(target !== undefined);
    assert.deepEqual([target.account_id, target.id], [accountId, id]);
    const [channel] = await readChannels(database, [target]);
    assert.ok(channel !== undefined);
    const note = async (quality: string, messagingLimit: string | null) => {
      const facts = { name: 'Line', quality, throughputPerSecond: 80, messagingLimit };
      const changed = await noteFacts(database, channel, facts);
      return changed && [changed.quality, changed.messaging_limit];
    };
    assert.deepEqual(await note('green', 'tier_1k'), ['green', 'tier_1k']);
    assert.equal(await note('green', null), undefined, 'nothing has changed');
    assert.deepEqual(await note('yellow', null), ['yellow', 'tier_1k']);
    assert.deepEqual(await note('yellow', 'tier_10k'), ['yellow', 'tier_10k']);
    assert.equal((await readChannels(database, [target]))[0]?.messaging_limit, 'tier_10k');
  });

  it('keeps a messaging limit of the numbers that it is told of, and tells once that it has changed', async () => {
    const { accountId, database } = gateway;
    for (const number of ['6900', '6901'])
      await addChannel(gateway, {
        ...{ phoneNumberId: number, businessAccountId: '69', phoneNumber: `+1555069${number}` },
        ...{ accountId, mode: 'live' },
      });
    const [target, other] = await listChannelsByNumberId(database, ['6900', '6901']);
    assert.ok(target !== undefined && other !== undefined);
    const told = async (limit: string) =>
      (await noteMessagingLimit(database, [target], limit)).map((row) => [row.id, row.messaging_limit]);
    assert.deepEqual(await told('tier_1k'), [[target.id, 'tier_1k']]);
    assert.deepEqual(await told('tier_1k'), []);
    assert.deepEqual(await told('tier_2k'), [[target.id, 'tier_2k']]);
    assert.equal((await readChannels(database, [other]))[0]?.messaging_limit, null);
  });
});

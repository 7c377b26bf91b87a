import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import {
  addChannel,
  asProvider,
  asSandbox,
  changeBody,
  isProcessed,
  lineOf,
  packTogether,
  postSigned,
  type TestLine,
} from '../../test/support/notifications.ts';
import { until } from '../../test/support/until.ts';
import type { Mode } from '../kernel/principal.ts';
import { findStopped } from './preference-store.ts';

const NOON = 1_767_268_800;
/** In 2099, which is not yet taken for no time at all. */
const FAR_AHEAD = 4_102_444_000;
/** Now, as the provider tells times. */
const wholeSecondMs = () => Math.floor(Date.now() / 1_000) * 1_000;

describe('what people have said of marketing messages', () => {
  let gateway: TestGateway;
  let line: TestLine;
  before(async () => {
    gateway = await startTestGateway();
    line = await lineOf(gateway);
  });
  after(() => gateway.stop());

  const post = async (body: object, as = asSandbox) => {
    assert.equal((await postSigned(as(gateway), body)).status, 200);
    await until(() => isProcessed(gateway));
  };

  const sayOf = (words: [value: string, seconds: number, person: object][]) =>
    post(
      changeBody(line, 'user_preferences', {
        metadata: { phone_number_id: line.phoneNumberId },
        user_preferences: words.map(([value, seconds, person]) => {
          return { ...person, category: 'marketing_messages', value, timestamp: NOON + seconds };
        }),
      }),
    );
  const prefer = (phone: string, words: [value: string, seconds: number, category?: string][], metadata?: object) =>
    post(
      changeBody(line, 'user_preferences', {
        metadata: metadata ?? { phone_number_id: line.phoneNumberId },
        user_preferences: words.map(([value, seconds, category = 'marketing_messages']) => ({
          wa_id: phone.slice(1),
          category,
          value,
          timestamp: NOON + seconds,
        })),
      }),
    );
  const hasStopped = async (phone: string, accountId = gateway.accountId, mode: Mode = 'test') => {
    const { businessAccountId } = line;
    return (await findStopped(gateway.database, { accountId, mode, businessAccountId }, [phone])).has(phone);
  };

  const words = [
    ['stop', 'resume'],
    ['resume', 'stop'],
  ] as const;

  it('a stop counts until a later resume, in whatever order the two arrive', async () => {
    const phone = '+447700900011';
    await prefer(phone, [['stop', 10]]);
    assert.equal(await hasStopped(phone), true);
    await prefer(phone, [['resume', 5]]);
    assert.equal(await hasStopped(phone), true);
    await prefer(phone, [['resume', 20]]);
    assert.equal(await hasStopped(phone), false);
    await prefer(phone, [['stop', 15]]);
    assert.equal(await hasStopped(phone), false);
    await prefer(phone, [
      ['stop', 40],
      ['resume', 30],
    ]);
    assert.equal(await hasStopped(phone), true);
  });

  it('of two words of the same second the last counts, also in one body', async () => {
    const phone = '+447700900012';
    await prefer(phone, [
      ['stop', 10],
      ['resume', 10],
    ]);
    assert.equal(await hasStopped(phone), false);
    await prefer(phone, [
      ['resume', 20],
      ['stop', 20],
    ]);
    assert.equal(await hasStopped(phone), true);
    await prefer(phone, [['resume', 30]]);
    await prefer(phone, [['stop', 30]]);
    assert.equal(await hasStopped(phone), true);
  });

  it('a word that is repeated does not count again, also after one of the same second, and in one body', async () => {
    for (const [place, [first, second]] of words.entries()) {
      const phone = `+44770090005${place}`;
      for (const word of [first, second, first, second, first]) await prefer(phone, [[word, 10]]);
      assert.equal(await hasStopped(phone), second === 'stop');
      await prefer(phone, [
        [first, 20],
        [second, 20],
        [first, 20],
      ]);
      assert.equal(await hasStopped(phone), second === 'stop');
      for (const seconds of [30, 20]) await prefer(phone, [[first, seconds]]);
      assert.equal(await hasStopped(phone), first === 'stop');
    }
  });

  it('a word without a time that is repeated does not count again, for as long as the provider repeats', async () => {
    const say = (word: string, ...more: string[]) =>
      sayOf([word, ...more].map((value) => [value, Number.NaN, { wa_id: '447700900055' }]));
    const pass = (days: number) =>
      gateway.database.query(
        `update test_marketing_preference
         set at = at - $1 * interval '1 day', opposite_at = opposite_at - $1 * interval '1 day' where person = '+447700900055'`,
        [days],
      );
    for (const [first, second] of words) {
      for (const word of [first, second, first, first]) await say(word);
      assert.equal(await hasStopped('+447700900055'), second === 'stop');
      await say(first, second, first);
      assert.equal(await hasStopped('+447700900055'), second === 'stop');
      await pass(1);
      await say(first);
      assert.equal(await hasStopped('+447700900055'), second === 'stop');
      await pass(8);
    }
  });

  it('a stop that is told to be of the future is taken back by the next word', async () => {
    const phone = '+447700900015';
    await prefer(phone, [['stop', FAR_AHEAD - NOON]]);
    assert.equal(await hasStopped(phone), true);
    await prefer(phone, [['resume', wholeSecondMs() / 1_000 - NOON]]);
    assert.equal(await hasStopped(phone), false);
  });

  it('a stop counts after the resume before it, though the node that is told of it has a clock that is behind', async () => {
    const [phone, nowMs] = ['+447700900056', wholeSecondMs()];
    await prefer(phone, [['resume', nowMs / 1_000 - 10 - NOON]]);
    const stop = changeBody(line, 'user_preferences', {
      metadata: { phone_number_id: line.phoneNumberId },
      user_preferences: [
        { wa_id: phone.slice(1), category: 'marketing_messages', value: 'stop', timestamp: nowMs / 1_000 },
      ],
    });
    await packTogether(gateway, [stop], nowMs - 45_000);
    await until(() => isProcessed(gateway));
    assert.equal(await hasStopped(phone), true);
  });

  it('a later word counts though it names the person by one identity only, whichever that is', async () => {
    const [phone, userId] = ['+447700900016', 'GB.1616'];
    const [both, byPhone, byUserId] = [
      { wa_id: phone.slice(1), user_id: userId },
      { wa_id: phone.slice(1) },
      { user_id: userId },
    ];
    const stopped = async () => [await hasStopped(phone), await hasStopped(userId)];
    await sayOf([['stop', 10, both]]);
    assert.deepEqual(await stopped(), [true, true]);
    await sayOf([['resume', 20, byUserId]]);
    assert.deepEqual(await stopped(), [false, false]);
    await sayOf([['stop', 30, byPhone]]);
    assert.deepEqual(await stopped(), [true, true]);
    await sayOf([['resume', 25, byUserId]]);
    assert.deepEqual(await stopped(), [true, true], 'it was said before the stop');
    await sayOf([
      ['resume', 40, both],
      ['stop', 50, byUserId],
      ['resume', 60, byPhone],
    ]);
    assert.deepEqual(await stopped(), [false, false]);
  });

  it('of a stop and a resume of the same second under the two identities the stop counts for both', async () => {
    for (const [place, order] of [
      ['stop', 'resume'],
      ['resume', 'stop'],
    ].entries()) {
      const [phone, userId] = [`+44770090003${place}`, `GB.303${place}`];
      await sayOf([['resume', 10, { wa_id: phone.slice(1), user_id: userId }]]);
      for (const word of order)
        await sayOf([[word, 20, word === 'stop' ? { wa_id: phone.slice(1) } : { user_id: userId }]]);
      assert.deepEqual([await hasStopped(phone), await hasStopped(userId)], [true, true]);
      await sayOf([['resume', 21, { user_id: userId }]]);
      assert.deepEqual([await hasStopped(phone), await hasStopped(userId)], [false, false]);
    }
  });

  it('a later word counts also where it arrives before the one that names both', async () => {
    const userId = 'GB.1717';
    await sayOf([['resume', 20, { user_id: userId }]]);
    await sayOf([['stop', 10, { wa_id: '447700900017', user_id: userId }]]);
    assert.deepEqual([await hasStopped('+447700900017'), await hasStopped(userId)], [false, false]);
  });

  it('a word of who has a former number of a person is not a word of that person', async () => {
    const [former, next] = [{ wa_id: '447700900018' }, { wa_id: '447700900019' }];
    await sayOf([['stop', 10, { ...former, user_id: 'GB.1818' }]]);
    await sayOf([['stop', 20, { ...next, user_id: 'GB.1818' }]]);
    await sayOf([['resume', 30, { ...former, user_id: 'GB.1919' }]]);
    assert.equal(await hasStopped('+447700900018'), false);
    assert.deepEqual([await hasStopped('+447700900019'), await hasStopped('GB.1818')], [true, true]);
  });

  it('a stop is found by the parent user id too, whichever name the person has in the later word', async () => {
    const [phone, userId, parent] = ['+447700900022', 'GB.2222', 'GB.ENT.2222'];
    const all = { wa_id: phone.slice(1), user_id: userId, parent_user_id: parent };
    const stopped = async () => [await hasStopped(phone), await hasStopped(userId), await hasStopped(parent)];
    await sayOf([['stop', 10, all]]);
    assert.deepEqual(await stopped(), [true, true, true]);
    await sayOf([['resume', 20, { wa_id: phone.slice(1) }]]);
    assert.deepEqual(await stopped(), [false, false, false]);
    await sayOf([['stop', 30, { user_id: userId, parent_user_id: parent }]]);
    assert.deepEqual(await stopped(), [true, true, true], 'the number and the user id are still a pair');
    await sayOf([['resume', 40, all]]);
    assert.deepEqual(await stopped(), [false, false, false]);
  });

  it('of the user ids that a parent user id stands for each has its own word, and one that stopped is enough', async () => {
    const parent = 'GB.ENT.2323';
    await sayOf([['stop', 10, { user_id: 'GB.2323', parent_user_id: parent }]]);
    await sayOf([['resume', 20, { user_id: 'GB.2324', parent_user_id: parent }]]);
    assert.deepEqual([await hasStopped('GB.2323'), await hasStopped('GB.2324')], [true, false]);
    assert.equal(await hasStopped(parent), true);
    await sayOf([['stop', 10, { parent_user_id: 'GB.ENT.2424' }]]);
    assert.equal(await hasStopped('GB.ENT.2424'), true);
  });

  it('a stop under the parent user id alone counts until a later word under a user id, in whatever order they arrive', async () => {
    for (const [place, order] of [
      ['stop', 'resume'],
      ['resume', 'stop'],
    ].entries()) {
      const [userId, parent] = [`GB.252${place}`, `GB.ENT.252${place}`];
      const both = { wa_id: `44770090004${place}`, user_id: userId, parent_user_id: parent };
      const alone = { parent_user_id: parent };
      for (const word of order) await sayOf([word === 'stop' ? [word, 10, alone] : [word, 20, both]]);
      assert.equal(await hasStopped(parent), false);
      await sayOf([['stop', 30, alone]]);
      assert.equal(await hasStopped(parent), true);
      await sayOf([['resume', 30, both]]);
      assert.equal(await hasStopped(parent), true, 'of the same second nobody knows which is later');
      await sayOf([['stop', 40, both]]);
      await sayOf([['resume', 50, { wa_id: both.wa_id }]]);
      assert.equal(await hasStopped(parent), false);
      await sayOf([['stop', 60, both]]);
      await sayOf([['resume', 70, alone]]);
      assert.equal(await hasStopped(parent), false);
    }
  });

  it('a stop of other messages, or another word, is no stop of marketing and undoes none', async () => {
    const phone = '+447700900013';
    await prefer(phone, [
      ['stop', 10, 'utility_messages'],
      ['pause', 20],
    ]);
    assert.equal(await hasStopped(phone), false);
    await prefer(phone, [
      ['stop', 30],
      ['pause', 40],
      ['resume', 50, 'utility_messages'],
    ]);
    assert.equal(await hasStopped(phone), true);
  });

  it('a stop that names no number reaches every account in the business account', async () => {
    const phone = '+447700900014';
    const neighbour = await gateway.createAccount('Neighbour');
    const channel = { ...line, phoneNumberId: '900000000000009', phoneNumber: '+447700900990' };
    await addChannel(gateway, { ...channel, accountId: neighbour, mode: 'test' });
    await prefer(phone, [['stop', 10]], {});
    assert.equal(await hasStopped(phone, neighbour), true);
    assert.equal(await hasStopped(phone), true);
  });

  it('what the sandbox tells of a business account is for its test channels alone, and what the provider tells for the live ones', async () => {
    const live = { ...line, phoneNumberId: '900000000000008', phoneNumber: '+447700900991' };
    await addChannel(gateway, { ...live, accountId: gateway.accountId, mode: 'live' });
    const phone = '+447700900021';
    const word = (value: string, seconds: number) => {
      const said = { wa_id: phone.slice(1), category: 'marketing_messages', value, timestamp: NOON + seconds };
      return changeBody(line, 'user_preferences', { user_preferences: [said] });
    };
    const template = { name: 'promo_image', language: 'en_US' };
    const stopped = async () => {
      const { json } = await gateway.call('POST', '/api/v1/messages/validate', {
        body: { to: phone, type: 'template', template },
      });
      const refused = json.results[0].error?.code === 'recipient_opted_out';
      return { test: await hasStopped(phone), live: await hasStopped(phone, undefined, 'live'), refused };
    };
    await post(word('stop', 10));
    assert.deepEqual(await stopped(), { test: true, live: false, refused: true });
    await post(word('resume', 20), asProvider);
    assert.deepEqual(await stopped(), { test: true, live: false, refused: true });
    await post(word('stop', 30), asProvider);
    await post(word('resume', 40));
    assert.deepEqual(await stopped(), { test: false, live: true, refused: false });
  });
});

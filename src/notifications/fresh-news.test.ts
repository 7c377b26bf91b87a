import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import {
  asSandbox,
  changeBody,
  isProcessed,
  lineOf,
  packTogether,
  postSigned,
  type TestLine,
} from '../../test/support/notifications.ts';
import { until } from '../../test/support/until.ts';
import { takeFreshNews } from './fresh-news.ts';
import { expireNews } from './news-store.ts';

const MONDAY = 1_790_000_000;
const DAY = 86_400;

describe('news that the provider repeats', () => {
  let gateway: TestGateway;
  let line: TestLine;
  before(async () => {
    gateway = await startTestGateway();
    line = await lineOf(gateway);
  });
  after(() => gateway.stop());

  const post = async (body: object) => {
    assert.equal((await postSigned(asSandbox(gateway), body)).status, 200);
    await until(() => isProcessed(gateway));
  };
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on every member that it reads.
  const events = async (type: string): Promise<any[]> =>
    (await gateway.call('GET', `/api/v1/events?limit=100&type=${type}`)).json.data;
  const restrictionsTold = async () =>
    (await events('channel.updated')).flatMap(({ data }) => data.channel.restriction?.event ?? []);

  it('of a business account raise one event, also within one batch', async () => {
    const ban = { ban_info: { waba_ban_state: 'SCHEDULE_FOR_DISABLE' } };
    const first = changeBody(line, 'account_update', { event: 'FIRST', ...ban });
    await post(first);
    await post(first);
    const second = changeBody(line, 'account_update', { event: 'SECOND', ...ban });
    await packTogether(gateway, [second, second, first]);
    await until(() => isProcessed(gateway));
    assert.deepEqual(await restrictionsTold(), ['first', 'second']);
  });

  it('are news again where they tell of another time, and where they tell of none', async () => {
    const before = (await restrictionsTold()).length;
    const tell = (seconds: number) => {
      const violation = { event: 'AGAIN', violation_info: { violation_type: 'ALCOHOL' } };
      return post(changeBody(line, 'account_update', violation, seconds));
    };
    await tell(MONDAY);
    await tell(MONDAY + DAY);
    await tell(MONDAY);
    assert.equal((await restrictionsTold()).length, before + 2);
    // Zero is no time: the service is younger than 1970.
    await tell(0);
    await tell(0);
    assert.equal((await restrictionsTold()).length, before + 4);
  });

  it('do not take a template back to what it was', async () => {
    assert.equal((await gateway.call('POST', '/api/v1/templates/sync')).status, 200);
    const before = (await events('template.updated')).length;
    const tell = (seconds: number, event: string) =>
      post(
        changeBody(
          line,
          'message_template_status_update',
          { event, message_template_name: 'hello_world', message_template_language: 'en_US' },
          seconds,
        ),
      );
    await tell(MONDAY, 'PAUSED');
    await tell(MONDAY + DAY, 'REINSTATED');
    await tell(MONDAY, 'PAUSED');
    const told = (await events('template.updated')).slice(before);
    assert.deepEqual(
      told.map(({ data }) => data.template.status),
      ['paused', 'approved'],
    );
  });

  it('do not take a messaging limit back to what it was', async () => {
    const before = (await events('channel.updated')).length;
    const tell = (seconds: number, limit: string) =>
      post(changeBody(line, 'business_capability_update', { max_daily_conversations_per_business: limit }, seconds));
    await tell(MONDAY, 'TIER_2K');
    await tell(MONDAY + DAY, 'TIER_10K');
    await tell(MONDAY, 'TIER_2K');
    const told = (await events('channel.updated')).slice(before).map(({ data }) => data.channel.messaging_limit);
    assert.deepEqual(
      // What the sandbox says when it is asked may stand between them.
      told.filter((limit) => limit !== 'tier_100k'),
      ['tier_2k', 'tier_10k'],
    );
  });

  it('of the sandbox take nothing from what the provider tells in the same words', async () => {
    const item = {
      kind: 'business_capability',
      ...{ label: 'business_capability_update', phoneNumberId: undefined, businessAccountId: '1' },
      ...{ displayPhoneNumber: undefined, messagingLimit: 'tier_2k', maxPhoneNumbers: undefined },
      at: new Date(MONDAY * 1_000),
    } as const;
    for (const origin of ['test', 'live'] as const) {
      const news = [{ origin, item, targets: [] }];
      assert.equal((await takeFreshNews(gateway.database, news)).length, 1, origin);
      assert.equal((await takeFreshNews(gateway.database, news)).length, 0, `${origin}, repeated`);
    }
  });

  it('are remembered for as many days as is said, and not for ever', async () => {
    const { database } = gateway;
    const [noted] = await database.query<{ count: number }>('select count(*)::integer as count from applied_news');
    assert.ok(noted !== undefined && noted.count > 2);
    await database.query(`update applied_news set applied_at = now() - interval '37 days'`);
    assert.equal(await expireNews(database, 38), 0);
    await database.query(`update applied_news set applied_at = now() - interval '38 days'`);
    assert.equal(await expireNews(database, 38), noted.count);
    assert.deepEqual(await database.query('select 1 from applied_news'), []);
  });
});

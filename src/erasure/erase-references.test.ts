import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { endErasures, erase } from '../../test/support/erasures.ts';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { lineOf, messagesBody, postAndApply, textFrom } from '../../test/support/notifications.ts';
import { newId } from '../kernel/ids.ts';

const ADA = '+447700900761';
const ADAS_USER_ID = 'GB.ADA1815';
const GRACE = '+447700900762';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

const group = { group_id: 'engines' };
const from = (phone: string, id: string, content: { type: string }) => ({
  ...textFrom(phone, id),
  ...group,
  ...content,
});
const answering = (id: string) => ({ context: { from: ADA.slice(1), id } });
const reactionTo = (id: string) => ({ type: 'reaction', reaction: { message_id: id, emoji: '👍' } });
const changeTo = (news: object) => ({ type: 'system', system: { type: 'user_changed_number', ...news } });

/** A message of each, and what Grace and others say of them in the group. The provider's ids of Ada's begin with `wamid.ada`. */
async function talk(): Promise<void> {
  const line = await lineOf(gateway);
  const say = (...messages: object[]) => postAndApply(gateway, messagesBody(line, { messages }));
  await say(
    textFrom(ADA, 'wamid.ada-1', { ...group, from_user_id: ADAS_USER_ID }),
    textFrom(GRACE, 'wamid.grace-1', group),
  );
  await say(
    textFrom(GRACE, 'wamid.grace-2', { ...group, ...answering('wamid.ada-1'), text: { body: 'A moth' } }),
    textFrom(GRACE, 'wamid.grace-3', { ...group, ...answering('wamid.grace-1') }),
    from(GRACE, 'wamid.grace-4', reactionTo('wamid.ada-1')),
    from(GRACE, 'wamid.grace-5', reactionTo('wamid.grace-1')),
    from(GRACE, 'wamid.grace-6', { type: 'revoke', ...{ revoke: { original_message_id: 'wamid.ada-1' } } }),
    from(GRACE, 'wamid.grace-7', {
      type: 'edit',
      ...{ edit: { original_message_id: 'wamid.ada-1', message: { type: 'text' } } },
    }),
    from('+447700900763', 'wamid.s1', changeTo({ body: `Ada changed to ${ADA.slice(1)}`, wa_id: ADA.slice(1) })),
    from('+447700900764', 'wamid.s2', {
      ...changeTo({ body: 'Ada has another id', user_id: ADAS_USER_ID }),
      ...answering('wamid.ada-1'),
    }),
    from('+447700900765', 'wamid.s3', changeTo({ body: `Jean had 1${ADA.slice(1)}`, wa_id: `${ADA.slice(1)}0` })),
  );
}

/** What is stored of Grace's and of others' messages, by the provider's id: the rows, or what events repeat. */
async function told(where: 'message' | 'event') {
  const rows = await gateway.database.query<{ id: string; answered: string | null; content: unknown }>(
    where === 'message'
      ? `select provider_message_id as id, reply_to_provider_message_id as answered, content from message
         where account_id = $1 and provider_message_id is not null order by 1`
      : `select m->>'message_id' as id, m->'reply_to'->>'message_id' as answered, m->(m->>'type') as content
         from (select data->'message' as m from event where account_id = $1) as e
         where m->>'message_id' is not null order by 1`,
    [gateway.accountId],
  );
  return Object.fromEntries(rows.map(({ id, answered, content }) => [id, [answered, content]]));
}

describe('erasing a person of whom others have told', () => {
  it('empties the ids of their messages and the news of their number, and leaves what others said', async () => {
    await talk();
    const before = await told('message');
    assert.deepEqual(await told('event'), before);
    const [echoed] = await gateway.database.query<{ id: string }>(
      `select id from event where data->'message'->>'message_id' = 'wamid.grace-2'`,
    );
    await gateway.database.query(
      `insert into attempt (account_id, id, endpoint_id, event_id, type, number, at, outcome, http_status, duration_ms, answer)
       values ($1, $2, $3, $4, 'message.received', 1, now(), 'succeeded', 200, 1, 'An answer to wamid.ada-1')`,
      [gateway.accountId, newId(), newId(), echoed?.id],
    );
    await erase(gateway, ADA);
    await endErasures(gateway.database);
    const { 'wamid.ada-1': _, ...others } = before;
    const expected = {
      ...others,
      'wamid.grace-2': [null, { body: 'A moth', ...group }],
      'wamid.grace-4': [null, { emoji: '👍', ...group }],
      'wamid.grace-6': [null, group],
      'wamid.grace-7': [null, { message: { type: 'text' }, ...group }],
      'wamid.s1': [null, null],
      'wamid.s2': [null, null],
    };
    assert.deepEqual(await told('message'), expected);
    assert.deepEqual(await told('event'), expected);
    assert.deepEqual(await gateway.database.query('select answer from attempt'), [{ answer: null }]);
    const list = (await gateway.call('GET', '/api/v1/messages?limit=100')).json.data;
    const reply = list.find((message: { text?: { body: string } }) => message.text?.body === 'A moth');
    assert.match(reply.reply_to.id, /^msg_/);
    assert.equal(reply.reply_to.message_id, null);
  });
});

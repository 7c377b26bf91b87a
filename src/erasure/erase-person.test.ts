import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { askToErase, endErasures, SETTLED_MS } from '../../test/support/erasures.ts';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import {
  addChannel,
  asSandbox,
  changeBody,
  forgetNotifications,
  isProcessed,
  lineOf,
  messagesBody,
  postSigned,
  statusOf,
  textFrom,
} from '../../test/support/notifications.ts';
import { assertProblem, pointersOf } from '../../test/support/problem.ts';
import { until } from '../../test/support/until.ts';
import { newId } from '../kernel/ids.ts';
import { findStopped } from '../people/preference-store.ts';
import { eraseRound } from './erase-round.ts';

const ADA = '+447700900771';
const ADAS_USER_ID = 'GB.ADA1815';
const GRACE = '+447700900772';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

const erase = (body: object, accountId?: string) => askToErase(gateway, body, accountId);

const settled = () => endErasures(gateway.database);

/** Everything that the store holds, as a text. */
async function everything(): Promise<string> {
  const tables = await gateway.database.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'idempotency'`,
  );
  const texts = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await gateway.database.query<{ row: string }>(`select t::text as row from ${name} t`);
      return rows.map(({ row }) => `${name} ${row}`).join('\n');
    }),
  );
  // Raw bodies are shown in hexadecimal.
  return texts.join('\n');
}

/** A person's stop of marketing messages, as the provider tells it. */
async function stop(phone: string, userId: string, atSeconds = 1_767_225_600): Promise<void> {
  const line = await lineOf(gateway);
  const word = { wa_id: phone.slice(1), user_id: userId, category: 'marketing_messages', value: 'stop' };
  const body = changeBody(line, 'user_preferences', {
    metadata: { phone_number_id: line.phoneNumberId },
    user_preferences: [{ ...word, timestamp: atSeconds }],
  });
  assert.equal((await postSigned(asSandbox(gateway), body)).status, 200);
  await until(() => isProcessed(gateway));
}

async function hasStopped(person: string): Promise<boolean> {
  const { businessAccountId } = await lineOf(gateway);
  const owner = { accountId: gateway.accountId, mode: 'test', businessAccountId } as const;
  return (await findStopped(gateway.database, owner, [person])).has(person);
}

/** A send to both with a duplicate, one to Ada alone, a text from each, and an endpoint's answer that repeats it. */
async function fill(): Promise<{ requestId: string; ids: string[] }> {
  const line = await lineOf(gateway);
  const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Lovelace' }] }];
  const recipients = [
    { to: ADA, components, client_reference: 'countess-1' },
    GRACE,
    { to: ADA, client_reference: 'countess-2' },
  ];
  const shared = [{ type: 'body', parameters: [{ type: 'text', text: 'friend' }] }];
  const template = { name: 'order_update', language: 'en_US', components: shared };
  const both = await gateway.call('POST', '/api/v1/messages/send', {
    body: { to: recipients, type: 'template', template, client_reference: 'engines' },
  });
  assert.equal(both.json.accepted_count, 2, both.text);
  const alone = await gateway.call('POST', '/api/v1/messages/send', {
    body: { to: ADA, type: 'text', text: { body: 'Dear Countess' }, client_reference: 'countess-3' },
  });
  // So that an event tells of it, with the reference.
  const delivered = statusOf('delivered', { providerId: alone.json.results[0].message_id });
  const misnamed = [{ type: 'body', parameters: [{ type: 'text', parameter_name: 'Byron', text: 'Ada' }] }];
  const failing = { to: [{ to: ADA, components: misnamed }], type: 'template' };
  const named = { name: 'greeting_named', language: 'en_US' };
  const failed = await gateway.call('POST', '/api/v1/messages/send', { body: { ...failing, template: named } });
  assert.equal(failed.json.results[0].error.errors[0].given, 'Byron');
  const contacts = [{ wa_id: ADA.slice(1), user_id: ADAS_USER_ID, profile: { name: 'Augusta' } }];
  const fromAda = textFrom(ADA, 'wamid.ada', {
    ...{ text: { body: 'An engine weaves' }, from_user_id: ADAS_USER_ID },
    context: { from: line.phoneNumber.slice(1), id: 'wamid.answered' },
  });
  const fromGrace = textFrom(GRACE, 'wamid.grace', { text: { body: 'A moth' } });
  for (const value of [{ statuses: [delivered] }, { contacts, messages: [fromAda] }, { messages: [fromGrace] }])
    assert.equal((await postSigned(asSandbox(gateway), messagesBody(line, value))).status, 200);
  await until(() => isProcessed(gateway));
  const [event] = await gateway.database.query<{ id: string }>(
    `select id from event where account_id = $1 and data->'message'->>'from' = $2`,
    [gateway.accountId, ADA],
  );
  assert.ok(event, 'the text from Ada was recorded');
  // As the event of a message whose template's parameters were refused has it.
  const error = { code: 'template_parameters_invalid', errors: [{ pointer: '#', detail: 'Wrong', given: 'Byron' }] };
  await gateway.database.query(
    `update event set data = jsonb_set(data, '{message,error}', $3) where account_id = $1 and id = $2`,
    [gateway.accountId, event.id, JSON.stringify(error)],
  );
  await gateway.database.query(
    `insert into attempt (account_id, id, endpoint_id, event_id, type, number, at, outcome, http_status, duration_ms, answer)
     values ($1, $2, $3, $4, 'message.received', 1, now(), 'succeeded', 200, 1, 'Thanks, Augusta')`,
    [gateway.accountId, newId(), newId(), event.id],
  );
  return { requestId: both.json.request_id, ids: both.json.results.map(({ id }: { id: string }) => id) };
}

describe('erasing a person', () => {
  it('empties all that identifies the person, and nothing of anyone else', async () => {
    const { requestId, ids } = await fill();
    const traces = [
      ADA.slice(1),
      ADAS_USER_ID,
      'wamid.ada',
      'wamid.answered',
      'Lovelace',
      'Byron',
      'Countess',
      'engine weaves',
      'countess-',
      'Augusta',
    ];
    const hidden = (trace: string) => Buffer.from(trace).toString('hex');
    const before = await everything();
    for (const trace of traces) assert.ok(before.includes(trace) || before.includes(hidden(trace)), trace);
    const answer = await erase({ to: ADA });
    assert.equal(answer.status, 202);
    assert.match(answer.json.person, /^[0-9a-f]{32}$/);
    await settled();
    const afterwards = await everything();
    for (const trace of traces)
      assert.ok(!afterwards.includes(trace) && !afterwards.includes(hidden(trace)), lineWith(afterwards, trace));
    for (const kept of [GRACE, 'A moth', 'friend']) assert.ok(afterwards.includes(kept), kept);

    const read = (await gateway.call('GET', `/api/v1/messages/${ids[0]}`)).json;
    assert.deepEqual([read.to, read.user_id, read.status, read.client_reference], [null, null, 'accepted', null]);
    const request = (await gateway.call('GET', `/api/v1/requests/${requestId}`)).json;
    assert.equal(request.client_reference, 'engines');
    assert.deepEqual(
      request.results.map(({ to, status }: { to: string; status: string }) => [to, status]),
      [
        ['', 'accepted'],
        [GRACE, 'accepted'],
        ['', 'failed'],
      ],
    );
    const events = (await gateway.call('GET', '/api/v1/events?type=message.received')).json.data;
    assert.deepEqual(
      // biome-ignore lint/suspicious/noExplicitAny: a test asserts on every member that it reads.
      events.map(({ data: { message } }: any) => [message.from, message.text?.body ?? null]),
      [
        [null, null],
        [GRACE, 'A moth'],
      ],
    );
  });

  it('empties a request in which nobody else is left, also if it named the person twice', async () => {
    const [person, userId, other] = ['+447700900781', 'GB.TWICE', '+447700900782'];
    const line = await lineOf(gateway);
    const fromBoth = textFrom(person, 'wamid.twice', { from_user_id: userId });
    const contacts = [{ wa_id: person.slice(1), user_id: userId, profile: { name: 'Both' } }];
    assert.equal(
      (await postSigned(asSandbox(gateway), messagesBody(line, { contacts, messages: [fromBoth] }))).status,
      200,
    );
    await until(() => isProcessed(gateway));
    const send = async (to: unknown[]) => {
      const body = { to, type: 'text', text: { body: 'Only for us' } };
      const { json } = await gateway.call('POST', '/api/v1/messages/send', { body });
      assert.equal(json.accepted_count, to.length);
      return json.results[0].id;
    };
    const textOf = async (id: string) => (await gateway.call('GET', `/api/v1/messages/${id}`)).json.text?.body;
    const [alone, together] = [await send([person, { user_id: userId }]), await send([person, other])];
    await erase({ user_id: userId });
    await settled();
    assert.deepEqual([await textOf(alone), await textOf(together)], [undefined, 'Only for us']);
    await erase({ to: other });
    await settled();
    assert.equal(await textOf(together), undefined);
  });

  it('finds by a number what is known by the user id alone, where only a stop has named both', async () => {
    await stop('+447700900773', 'GB.MARY');
    const body = { to: [{ user_id: 'GB.MARY' }], type: 'text', text: { body: 'Hello' } };
    const [{ id }] = (await gateway.call('POST', '/api/v1/messages/send', { body })).json.results;
    await erase({ to: '+447700900773' });
    await settled();
    assert.equal((await gateway.call('GET', `/api/v1/messages/${id}`)).json.user_id, null);
    assert.ok(!(await everything()).includes('GB.MARY'));
  });

  it('empties what a parent user id names, and forgets that it does', async () => {
    const [userId, parent] = ['GB.HOPPER1906', 'GB.ENT.HOPPER1906'];
    const line = await lineOf(gateway);
    const hopper = textFrom('', 'wamid.hopper', { from: undefined, from_user_id: userId, from_parent_user_id: parent });
    assert.equal((await postSigned(asSandbox(gateway), messagesBody(line, { messages: [hopper] }))).status, 200);
    await until(() => isProcessed(gateway));
    const sent = await gateway.call('POST', '/api/v1/messages/send', {
      body: { to: [{ user_id: parent }, { user_id: parent }], type: 'text', text: { body: 'Ships are safe' } },
    });
    assert.equal(sent.json.accepted_count, 1, sent.text);
    assert.equal((await erase({ user_id: userId })).status, 202);
    await settled();
    const afterwards = await everything();
    for (const trace of ['HOPPER', 'wamid.hopper', 'Ships'])
      assert.ok(
        !afterwards.includes(trace) && !afterwards.includes(Buffer.from(trace).toString('hex')),
        lineWith(afterwards, trace),
      );
  });

  it('leaves what the person says after it was asked for, which is new', async () => {
    const [phone, userId] = ['+447700900779', 'GB.AGAIN'];
    await stop(phone, userId);
    await erase({ to: phone });
    // The provider tells whole seconds: what is said within that of the request counts as said before it.
    const laterSeconds = Math.floor(Date.now() / 1_000) + 1;
    await until(() => Date.now() >= laterSeconds * 1_000);
    await stop(phone, userId, laterSeconds);
    const text = textFrom(phone, 'wamid.again', { timestamp: String(laterSeconds) });
    const line = await lineOf(gateway);
    assert.equal((await postSigned(asSandbox(gateway), messagesBody(line, { messages: [text] }))).status, 200);
    await until(() => isProcessed(gateway));
    await settled();
    assert.ok(await hasStopped(phone), 'the later stop is kept to');
    const body = { to: phone, type: 'text', text: { body: 'Hello' } };
    const { json } = await gateway.call('POST', '/api/v1/messages/validate', { body });
    assert.equal(json.results[0].warnings, undefined, 'the window is open');
  });

  it('does not let a message come back when the provider repeats it, also where the number has another channel by now', async () => {
    const [phone, line] = ['+447700900780', await lineOf(gateway)];
    const body = messagesBody(line, { messages: [textFrom(phone, 'wamid.gone', { text: { body: 'Forget me' } })] });
    const repeat = async () => {
      assert.equal((await postSigned(asSandbox(gateway), body)).status, 200);
      await until(() => isProcessed(gateway));
      await forgetNotifications(gateway);
    };
    await repeat();
    assert.ok((await everything()).includes('Forget me'));
    await erase({ to: phone });
    await settled();
    await repeat();
    const [channel] = (await gateway.call('GET', '/api/v1/channels')).json.data;
    await gateway.call('DELETE', `/platform/v1/channels/${channel.id}`, { key: gateway.platformKey });
    await addChannel(gateway, { ...line, accountId: gateway.accountId, mode: 'test' });
    await repeat();
    const left = await everything();
    for (const trace of ['Forget me', 'wamid.gone', phone]) assert.ok(!left.includes(trace), lineWith(left, trace));
  });

  it('leaves the stop of who was named beside the person, and no name of the person in it', async () => {
    await stop('+447700900774', 'GB.JOAN');
    const line = await lineOf(gateway);
    const fromJoan = textFrom('+447700900775', 'wamid.joan', { from_user_id: 'GB.JOAN' });
    assert.equal((await postSigned(asSandbox(gateway), messagesBody(line, { messages: [fromJoan] }))).status, 200);
    await until(() => isProcessed(gateway));
    await erase({ to: '+447700900775' });
    await settled();
    assert.ok(!(await everything()).includes('GB.JOAN'));
    assert.deepEqual([await hasStopped('+447700900774'), await hasStopped('GB.JOAN')], [true, false]);
  });

  it('leaves who has got a former number of the person', async () => {
    const [former, present, userId] = ['+447700900776', '+447700900777', 'GB.MOVED'];
    await stop(former, userId);
    await stop(present, userId);
    // This one has said nothing since, and its present owner has.
    const [passedOn, silent] = ['+447700900783', 'GB.SILENT'];
    await stop(passedOn, silent);
    await stop(passedOn, 'GB.NEXT');
    const body = { to: [former, passedOn], type: 'text', text: { body: 'To who has it now' } };
    const { json } = await gateway.call('POST', '/api/v1/messages/send', { body });
    for (const erased of [userId, silent]) await erase({ user_id: erased });
    await settled();
    for (const [place, to] of [former, passedOn].entries()) {
      const read = await gateway.call('GET', `/api/v1/messages/${json.results[place].id}`);
      assert.equal(read.json.to, to);
    }
    const text = await everything();
    assert.deepEqual([text.includes(userId), text.includes(present)], [false, false]);
  });

  it('is told in the audit log without the person, and may be repeated', async () => {
    const first = (await erase({ to: '+44 7700 900771' })).json;
    assert.deepEqual((await erase({ to: ADA })).json, first);
    await settled();
    const { json, text } = await gateway.call('GET', `/platform/v1/audit?account_id=${gateway.accountId}&limit=4`, {
      key: gateway.platformKey,
    });
    const actions = json.data.map((entry: { action: string }) => entry.action);
    assert.deepEqual(actions.toSorted(), [
      'person.erase_requested',
      'person.erase_requested',
      'person.erased',
      'person.erased',
    ]);
    for (const entry of json.data) assert.deepEqual(entry.detail, { person: first.person });
    assert.ok(!text.includes('7700900771'));
    const other = await gateway.createAccount('Another');
    assert.notEqual((await erase({ to: ADA }, other)).json.person, first.person, 'accounts cannot be compared by it');
  });

  it('empties what is there at once, and walks again when a send that is under way has written all it knows', async () => {
    const { json } = await gateway.call('POST', '/api/v1/messages/send', {
      body: { to: [{ user_id: 'GB.LATER' }], type: 'text', text: { body: 'Hello' } },
    });
    await erase({ user_id: 'GB.LATER' });
    const [{ id }] = json.results;
    await until(async () => {
      await eraseRound(gateway.database, SETTLED_MS);
      return (await gateway.call('GET', `/api/v1/messages/${id}`)).json.user_id === null;
    });
    const again = async () => {
      await eraseRound(gateway.database, SETTLED_MS);
      const [row] = await gateway.database.query<{ seconds: number }>(
        `select extract(epoch from due_at - now())::integer as seconds from erasure where persons @> '{GB.LATER}'`,
      );
      assert.ok(row !== undefined, 'it is not over');
      return row.seconds;
    };
    await until(async () => (await again()) > 100);
  });

  it('empties an answer whose event is gone, because nobody knows whom it told of', async () => {
    const [id, testId] = [newId(), newId()];
    for (const [attempt, type] of [
      [id, 'message.received'],
      [testId, 'endpoint.test'],
    ])
      await gateway.database.query(
        `insert into attempt (account_id, id, endpoint_id, event_id, type, number, at, outcome, http_status, duration_ms, answer)
         values ($1, $2, $3, $4, $5, 1, now(), 'succeeded', 200, 1, 'Thanks')`,
        [gateway.accountId, attempt, newId(), newId(), type],
      );
    await erase({ to: ADA });
    await settled();
    assert.deepEqual(
      await gateway.database.query('select answer from attempt where id = any($1) order by type', [[id, testId]]),
      [{ answer: 'Thanks' }, { answer: null }],
    );
  });

  it('goes on beside sends to the same person, of which none fails, and erases what was before', async () => {
    const send = (name: string) =>
      gateway.call('POST', '/api/v1/messages/send', { body: { to: [ADA, GRACE], type: 'text', text: { body: name } } });
    let sending = true;
    let sent = 0;
    const sender = async () => {
      for (; sending; sent++) assert.equal((await send(`Later ${sent}`)).json.accepted_count, 2);
    };
    await send('Before');
    const senders = [sender(), sender(), sender(), sender()];
    await erase({ to: ADA });
    await settled();
    sending = false;
    await Promise.all(senders);
    assert.ok(sent > 0);
    await erase({ to: ADA });
    await settled();
    assert.deepEqual(await gateway.database.query('select 1 from message where phone = $1', [ADA]), []);
    assert.ok((await gateway.database.query('select 1 from message where phone = $1', [GRACE])).length >= sent);
  });

  it('takes one number or one user id', async () => {
    for (const body of [{}, { to: ADA, user_id: ADAS_USER_ID }]) assert.deepEqual(pointersOf(await erase(body)), ['#']);
    for (const to of ['07700900771', '+44 (0)7700 900771', 'x'])
      assert.deepEqual(pointersOf(await erase({ to })), ['#/to']);
    assert.deepEqual([...new Set(pointersOf(await erase({ user_id: 'x', phone: 1 })))].sort(), [
      '#/phone',
      '#/user_id',
    ]);
    assertProblem(await erase({ to: ADA }, '01890a5d-ac96-774b-bcce-b302099a8057'), 'not_found');
  });
});

function lineWith(text: string, trace: string): string {
  return text.split('\n').find((line) => line.includes(trace)) ?? `${trace} in a raw body`;
}

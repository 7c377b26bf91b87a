import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client, MessageType } from '@great-detail/whatsapp';
import { WhatsAppAPI } from 'whatsapp-api-js';
import { BodyComponent, BodyParameter, Template, Text } from 'whatsapp-api-js/messages';
import { APP_SECRET, member, startReceiver, startSandbox } from './test-support.ts';

const PERSON = '+447700900129';
const PROVIDER = 'https://graph.facebook.com';

describe('whatsapp-api-js, a client by others', () => {
  it('sends a text and a template to the sandbox', async (t) => {
    const api = whatsAppApi((await startSandbox(t)).url);
    for (const message of [new Text('Hello'), template('order_update', 'Ada')]) {
      const answer = await api.sendMessage('1001', { phone: PERSON, bsuid: 'US.1349' }, message, undefined, 'msg_1');
      assert.match(String(member(answer, 'messages', 0, 'id')), /^wamid\./);
      assert.equal(member(answer, 'contacts', 0, 'wa_id'), PERSON.slice(1));
    }
    const answer = await api.sendMessage('1001', { bsuid: 'US.1349' }, new Text('Hello'));
    assert.equal(member(answer, 'contacts', 0, 'user_id'), 'US.1349');
  });

  it('reads the errors of the sandbox', async (t) => {
    const api = whatsAppApi((await startSandbox(t)).url);
    const code = async (phone: string, message: Text | Template) =>
      member(await api.sendMessage('1001', { phone, bsuid: 'US.1349' }, message), 'error', 'code');
    assert.equal(await code('+15550131056', new Text('Hello')), 131056);
    assert.equal(await code(PERSON, template('nothing', 'Ada')), 132001);
    assert.equal(await code(PERSON, template('promo_paused', 'Ada')), 132015);
  });

  it('verifies the notifications of the sandbox, and understands them', async (t) => {
    const receiver = await startReceiver(t);
    const sandbox = await startSandbox(t, { callbackUrls: [receiver.url] });
    const api = whatsAppApi(sandbox.url);
    const seen: unknown[] = [];
    api.on.status = ({ status, phone, user_id }: { status: string; phone?: string; user_id?: string }) => {
      seen.push([status, phone ?? user_id]);
    };
    api.on.message = ({ message }: { message: { type: string } }) => {
      seen.push(message.type);
    };
    await api.sendMessage(
      '1001',
      { phone: '+15552000014', bsuid: 'US.1349' },
      new Text('Hello'),
      undefined,
      'größer 👋',
    );
    for (const { body, headers } of await receiver.count(4)) {
      await api.post(JSON.parse(body), body, String(headers['x-hub-signature-256']));
      await assert.rejects(api.post(JSON.parse(body), `${body} `, String(headers['x-hub-signature-256'])));
    }
    assert.equal(seen.length, 4);
    assert.equal(seen[3], 'text');
  });
});

describe('@great-detail/whatsapp, a client by others', () => {
  it('sends a text and a template to the sandbox', async (t) => {
    const client = greatDetail((await startSandbox(t)).url);
    const text = await client.message
      .createMessage({ phoneNumberID: '1001', to: PERSON, type: MessageType.Text, text: { body: 'Hello' } })
      .json();
    assert.match(String(member(text, 'messages', 0, 'id')), /^wamid\./);
    const sent = await client.message
      .createMessage({
        phoneNumberID: '1001',
        to: PERSON,
        type: MessageType.Template,
        template: {
          name: 'order_update',
          language: { code: 'de' },
          components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }] }],
        },
      })
      .json();
    assert.match(String(member(sent, 'messages', 0, 'id')), /^wamid\./);
  });

  it('reads the errors of the sandbox', async (t) => {
    const client = greatDetail((await startSandbox(t)).url);
    const refused = client.message.createMessage({
      phoneNumberID: '1001',
      to: '+15550131047',
      type: MessageType.Text,
      text: { body: 'Hello' },
    });
    await assert.rejects(refused, (error) => {
      assert.equal(member(error, 'response', 'status') ?? statusOf(error), 400);
      return true;
    });
  });

  it('reads phone numbers and templates', async (t) => {
    const client = greatDetail((await startSandbox(t)).url);
    const number = await client.phoneNumbers
      .getPhoneNumber({ phoneNumberID: '1001', fields: ['display_phone_number'] })
      .json();
    assert.match(String(member(number, 'display_phone_number')), /^\+1555/);
    const templates = await client.template.list('2002', { status: ['APPROVED', 'PAUSED'], limit: 100 }).json();
    assert.equal(member(templates, 'data', 0, 'name'), 'hello_world');
  });

  it('verifies the notifications of the sandbox', async (t) => {
    const receiver = await startReceiver(t);
    const client = greatDetail((await startSandbox(t, { callbackUrls: [receiver.url] })).url);
    await client.message.createMessage({
      phoneNumberID: '1001',
      to: PERSON,
      type: MessageType.Text,
      text: { body: 'Hello' },
    });
    for (const { body, headers } of await receiver.count(3)) {
      const signature = String(headers['x-hub-signature-256']);
      const notification = await client.webhook.eventNotification({
        method: 'POST',
        query: {},
        headers: { 'x-hub-signature-256': signature },
        body,
      });
      await notification.verifySignature(APP_SECRET);
    }
  });
});

/** This client has no setting for the provider's address, but it takes a `fetch` from its caller. */
function whatsAppApi(url: string): WhatsAppAPI {
  const redirected: typeof fetch = (input, init) => fetch(String(input).replace(PROVIDER, url), init);
  return new WhatsAppAPI({ token: 'any', appSecret: APP_SECRET, v: 'v25.0', ponyfill: { fetch: redirected } });
}

function template(name: string, value: string): Template {
  return new Template(name, 'en_US', new BodyComponent(new BodyParameter(value)));
}

function greatDetail(url: string): Client {
  return new Client({
    baseUrl: url,
    graphVersion: 'v25.0/',
    request: { headers: { Authorization: 'Bearer any' }, retry: 0 },
  });
}

function statusOf(error: unknown): unknown {
  const { response } = Object(error);
  return response?.status;
}

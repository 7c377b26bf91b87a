import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { addChannel } from '../support/notifications.ts';
import { assertProblem } from '../support/problem.ts';
import { type ListingServer, listed, pageOf, startListingServer } from './listing-server.ts';

const BODY_COMPONENT = { type: 'BODY', text: 'Hello {{1}}' };

let provider: ListingServer;
let gateway: TestGateway;
let liveKey: string;
/** The bodies that the provider was sent, byte for byte. */
const sent: string[] = [];
before(async () => {
  provider = await startListingServer();
  provider.answer = async (query, request) => {
    if (request.method !== 'POST') return pageOf([listed('order', { components: [BODY_COMPONENT] })], query);
    sent.push(await text(request));
    return { body: { messages: [{ id: `wamid.${sent.length}` }] } };
  };
  gateway = await startTestGateway({ settings: { WAYPOST_PROVIDER_URL: provider.url } });
  const line = { phoneNumberId: '4711', businessAccountId: '4712', phoneNumber: '+15550784711' };
  await addChannel(gateway, { accountId: gateway.accountId, mode: 'live', ...line });
  liveKey = await gateway.createKey({ mode: 'live' });
});
after(async () => {
  await gateway.stop();
  await provider.close();
});

/** Sends a template whose body component has one member more, given as JSON text. */
const send = (more: string, call = 'send') => {
  const component = `{"type":"body","parameters":[{"type":"text","text":"Ada"}],${more}}`;
  const template = `{"name":"order","language":"en_US","components":[${component}]}`;
  const own = `{"to":"+447700900124","components":[${component}]}`;
  const body = `{"to":["+447700900123",${own}],"type":"template","template":${template}}`;
  return gateway.call('POST', `/api/v1/messages/${call}`, { key: liveKey, body });
};

describe('what is not known in components', () => {
  it('loses no digit of a whole number, in the shared ones and in those of a recipient, sent and read back', async () => {
    sent.length = 0;
    const numbers = `12345678901234567890,-9007199254740993,9007199254740991,1.5,1${'0'.repeat(300)}`;
    const member = `"flow_action_data":{"order":12345678901234567890,"list":[${numbers}]}`;
    const { json } = await send(member);
    assert.equal(json.accepted_count, 2, JSON.stringify(json));
    assert.deepEqual(
      sent.map((body) => body.includes(member)),
      [true, true],
    );
    for (const { id } of json.results) {
      const read = await gateway.call('GET', `/api/v1/messages/${id}`, { key: liveKey });
      assert.ok(read.text.includes(`"list":[${numbers}]`), read.text);
    }
  });

  it('is stored, however many digits a number has behind its point', async () => {
    for (const number of [
      `12345678901234567.${'0'.repeat(20_000)}`,
      `1234567890123456${'0'.repeat(150_000)}e-149999`,
    ]) {
      const { status, json } = await send(`"a":${number}`);
      assert.deepEqual([status, json.accepted_count], [200, 2]);
    }
  });

  it('is refused where a number is too large to be written again', async () => {
    for (const call of ['send', 'validate'])
      for (const number of ['1e400', '-1e400', `1${'0'.repeat(400)}`]) {
        const answer = await send(`"a":{"b":[${number}]}`, call);
        assertProblem(answer, 'invalid_request');
        assert.deepEqual(answer.json.errors, [
          { pointer: '#/to/1/components/0/a/b/0', detail: 'This number is too large.' },
          { pointer: '#/template/components/0/a/b/0', detail: 'This number is too large.' },
        ]);
      }
  });
});

describe('a whole number beyond 2^53 where none belongs', () => {
  it('is told as what it is', async () => {
    const body = '{"to":[12345678901234567890],"type":"text","text":12345678901234567890}';
    const { json } = await gateway.call('POST', '/api/v1/messages/send', { body });
    assert.deepEqual(json.errors, [
      { pointer: '#/text', detail: 'This must be an object.' },
      { pointer: '#/to/0', detail: 'A recipient must be a string or an object.' },
    ]);
  });
});

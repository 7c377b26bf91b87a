import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { assertProblem } from '../support/problem.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
  await gateway.call('POST', '/api/v1/messages/send', {
    body: { to: '+447700900901', type: 'text', text: { body: 'Hello' } },
  });
});
after(() => gateway.stop());

const id = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.stringMatching(/^(msg|req|chn)_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
  fc.uuid(),
);
const path = fc.oneof(
  fc.constantFrom('/api/v1/messages', '/api/v1/channels', '/api/v1/account', '/platform/v1/accounts'),
  id.map((text) => `/api/v1/messages/${encodeURIComponent(text.toWellFormed())}`),
  id.map((text) => `/api/v1/requests/${encodeURIComponent(text.toWellFormed())}`),
  id.map((text) => `/platform/v1/accounts/${encodeURIComponent(text.toWellFormed())}/keys`),
);
const name = fc.oneof(
  fc.constantFrom(
    ...['limit', 'cursor', 'to', 'since', 'status', 'direction', 'request_id', 'message_id', 'client_reference'],
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const value = fc.oneof(
  id,
  fc.constantFrom(
    '1',
    '100',
    'read',
    'inbound',
    '2026-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '0000-01-01T00:00:00Z',
  ),
  fc.base64String({ minLength: 22, maxLength: 24 }),
);
const query = fc.array(fc.tuple(name, value), { maxLength: 4 }).map((pairs) => {
  const parts = pairs.map((pair) => pair.map((part) => encodeURIComponent(part.toWellFormed())).join('='));
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
});

describe('whatever a path and its query hold', () => {
  it('the answer is 200 or an error of the caller', async () => {
    await fc.assert(
      fc.asyncProperty(path, query, fc.boolean(), async (given, asked, byPlatform) => {
        const key = byPlatform ? gateway.platformKey : gateway.testKey;
        const answer = await gateway.call('GET', given + asked, { key });
        assert.ok(answer.status < 500, answer.text);
        if (answer.status !== 200) assertProblem(answer, answer.json.code);
      }),
      { numRuns: 400 },
    );
  });
});

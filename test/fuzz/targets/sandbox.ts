import assert from 'node:assert/strict';
import fc from 'fast-check';
import { anyMessage } from '../../../sandbox/any-message.ts';
import { callRaw } from '../../support/raw-http.ts';
import { anyQuery } from '../queries.ts';
import type { FuzzTarget } from '../target.ts';

const path = fc.constantFrom(
  '/v25.0/1001/messages',
  '/v25.0/1001',
  '/v25.0/2001/message_templates',
  '/v25.0/2001/phone_numbers',
  '/v25.0/2001/subscribed_apps',
  '/_sandbox/messages',
  '/_sandbox/inbound',
  '/_sandbox/callback',
  '/_sandbox/templates',
  '/_sandbox/nothing',
);
const method = fc.constantFrom('GET', 'POST', 'DELETE', 'PUT');
const token = fc.constantFrom('Bearer token', 'OAuth token', 'Bearer refused', 'token', '');

/** The sandbox must answer any call in the provider's words, and must not die. */
export const sandboxTarget: FuzzTarget = {
  name: 'the sandbox',
  property: ({ sandbox }) =>
    fc.asyncProperty(method, path, anyQuery, token, anyMessage, async (how, where, query, authorization, text) => {
      const headers = ['content-type', 'application/json', 'authorization', authorization];
      const given = how === 'GET' ? {} : { body: text };
      const answer = await callRaw(sandbox.url, { method: how, path: where + query, headers, ...given });
      assert.ok(answer.status < 500, `${answer.status}: ${answer.text}`);
      assert.notEqual(answer.json, undefined, answer.text);
    }),
  async after({ sandbox }) {
    assert.equal((await fetch(`${sandbox.url}/_sandbox/reset`, { method: 'POST' })).status, 200);
  },
};

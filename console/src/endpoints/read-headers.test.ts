import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readHeaders } from './read-headers.ts';

const READ = { 'webhook-id': 'evt_1', 'webhook-timestamp': '1800000000', 'webhook-signature': 'v1,ab+/= v1,cd+/=' };

describe('headers as people paste them', () => {
  it('are read from lines, as a server or a command prints them', () => {
    const lines = Object.entries(READ).map(([name, value]) => `${name}: ${value}`);
    assert.deepEqual(readHeaders(lines.join('\r\n')), READ);
    assert.deepEqual(readHeaders(lines.join('\n').replace('webhook-id', 'Webhook-Id')), READ);
  });

  it('are read from JSON, in many lines or in one', () => {
    assert.deepEqual(readHeaders(JSON.stringify(READ, null, 2)), READ);
    assert.deepEqual(readHeaders(JSON.stringify(READ)), READ);
    assert.deepEqual(readHeaders(JSON.stringify({ ...READ, 'X-Many': ['one', 'two'], count: 1 })), {
      ...READ,
      'x-many': ['one', 'two'],
    });
  });

  it('are read as Node and Python print an object', () => {
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = READ;
    const rest = `'webhook-timestamp': '${at}',\n  'webhook-signature': '${signature}'`;
    assert.deepEqual(readHeaders(`{\n  'webhook-id': '${id}',\n  ${rest}\n}`), READ);
    assert.deepEqual(readHeaders(`{ host: 'a.example', 'webhook-id': '${id}', ${rest.replace('\n ', '')} }`), {
      host: 'a.example',
      ...READ,
    });
  });

  it('become a list where one is there twice', () => {
    assert.deepEqual(readHeaders('webhook-id: one\nWebhook-Id: two'), { 'webhook-id': ['one', 'two'] });
  });
});

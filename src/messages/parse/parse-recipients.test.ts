import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '../../kernel/errors.ts';
import { parseSend } from './parse-send.ts';

const USER_ID = 'GB.13491208655302741918';

describe('the recipients of a send', () => {
  it('may be one text, parted at commas, semicolons and line breaks', () => {
    assert.deepEqual(read('+447700900001'), ['+447700900001']);
    const three = ['+447700900001', '+447700900002', '+447700900003'];
    const breaks = ['\n', '\r\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029'];
    for (const separator of [',', ', ', ';', ...breaks, ',;\n, ,'])
      assert.deepEqual(read(three.join(separator)), three, JSON.stringify(separator));
    assert.deepEqual(read(`,;\n${three.join(',')}; \r\n`), three, 'empty pieces are dropped');
    assert.deepEqual(read('0770, +447700900001'), ['unreadable 0770', '+447700900001']);
    assert.deepEqual(read(USER_ID), [`unreadable ${USER_ID}`], 'a user id has its own member');
  });

  it('may be an array of texts, which are not parted, and of objects', () => {
    assert.deepEqual(read(['+447700900001,+447700900002']), ['unreadable +447700900001,+447700900002']);
    assert.deepEqual(read(['', ' ', '+44 7700 900001']), ['unreadable ', 'unreadable  ', '+447700900001']);
    assert.deepEqual(read([{ to: '+44 7700 900001' }, { user_id: USER_ID }, { to: 'x' }]), [
      '+447700900001',
      `user_id ${USER_ID}`,
      'unreadable x',
    ]);
  });

  it('may be user ids of two capitals, a point, perhaps ENT, and letters or digits', () => {
    const good = ['US.1', `US.${'a'.repeat(128)}`, 'US.ENT.1', `US.ENT.${'Z'.repeat(128)}`, 'US.ENT'];
    for (const user_id of good) assert.deepEqual(read([{ user_id }]), [`user_id ${user_id}`]);
    const bad = [
      '',
      'US',
      'US.',
      `US.${'a'.repeat(129)}`,
      'us.1',
      'USA.1',
      'US.ENT.',
      'US.a.b',
      'US.a b',
      ' US.1',
      'US.1\n',
    ];
    for (const user_id of bad) assert.deepEqual(read([{ user_id }]), [`unreadable ${user_id}`]);
  });

  it('must have the right JSON types and exactly one name', () => {
    assert.deepEqual(faults({ a: 1 }), ['#/to']);
    assert.deepEqual(faults(447700900001), ['#/to']);
    assert.deepEqual(faults([447700900001, null, [], true]), ['#/to/0', '#/to/1', '#/to/2', '#/to/3']);
    assert.deepEqual(faults([{}, { to: 'x', user_id: 'y' }, { to: null }, { user_id: 5 }]), [
      '#/to/0',
      '#/to/1',
      '#/to/2/to',
      '#/to/3/user_id',
    ]);
    assert.deepEqual(faults([{ to: 'x', name: 'Ada' }]), ['#/to/0/name']);
    assert.deepEqual(faults([JSON.parse('{"__proto__": {"to": "+447700900001"}}')]), ['#/to/0', '#/to/0/__proto__']);
  });

  it('are 1 to 50, counted before duplicates are looked at', () => {
    for (const none of ['', ' ', ',;\r\n', []]) assert.deepEqual(faults(none), ['#/to']);
    const same = (count: number) => Array<string>(count).fill('+447700900001');
    assert.equal(read(same(50)).length, 50);
    assert.equal(read(same(50).join()).length, 50);
    assert.equal(codeOf(same(51)), 'too_many_recipients');
    assert.equal(codeOf(same(51).join()), 'too_many_recipients');
    assert.equal(codeOf(same(10_000).join(';')), 'too_many_recipients');
    assert.equal(codeOf([...same(51), 5]), 'invalid_request', 'other faults come first');
  });

  it('keep their own reference and components', () => {
    const components = [{ type: 'body' }];
    const [one, two] = parse([{ to: '+447700900001', client_reference: 'a', components }, '+447700900002']);
    assert.deepEqual(one, { kind: 'phone', to: '+447700900001', clientReference: 'a', components });
    assert.deepEqual(two, { kind: 'phone', to: '+447700900002' });
  });
});

function parse(to: unknown) {
  const body = { to, type: 'template', template: { name: 'n', language: 'de' } };
  const passOn = (components: unknown) => ({ components: Array.isArray(components) ? components : [] });
  return parseSend(body, passOn).recipients;
}

function read(to: unknown): string[] {
  return parse(to).map((recipient) =>
    recipient.kind === 'phone' ? recipient.to : `${recipient.kind} ${recipient.to}`,
  );
}

function errorOf(to: unknown): ApiError {
  try {
    parse(to);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  return assert.fail('The recipients are valid');
}

function codeOf(to: unknown): string {
  return errorOf(to).code;
}

function faults(to: unknown): string[] {
  return (errorOf(to).errors ?? []).map((fault) => ('pointer' in fault ? fault.pointer : '')).toSorted();
}

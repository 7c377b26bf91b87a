import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contactOf, normalisePhone, readContacts, readPerson } from './person.ts';

describe('reading people', () => {
  it('gives a number its plus, and takes for a number only what can be one', () => {
    assert.equal(normalisePhone('447700900123'), '+447700900123');
    assert.equal(normalisePhone('+447700900123'), '+447700900123');
    for (const text of [
      undefined,
      '',
      '+',
      '0770090012',
      '123456',
      '1'.repeat(16),
      '44 7700',
      'GB.44770090012',
      '++44770',
    ]) {
      assert.equal(normalisePhone(text), undefined);
    }
  });

  it('takes the only contact of the only item, unless it is somebody else', () => {
    const contacts = [{ wa_id: '447700900123', user_id: 'GB.1' }];
    const one = readContacts({ contacts, statuses: [{}] });
    const nobody = readPerson(undefined, undefined);
    assert.equal(contactOf(one, nobody)?.userId, 'GB.1');
    assert.equal(contactOf(one, readPerson('447700900124', undefined)), undefined);
    assert.equal(contactOf(one, readPerson(undefined, 'GB.2')), undefined);
    assert.equal(contactOf(readContacts({ contacts, statuses: [{}, {}] }), nobody), undefined);
    assert.equal(contactOf(readContacts({ contacts: [...contacts, {}], statuses: [{}] }), nobody), undefined);
  });
});

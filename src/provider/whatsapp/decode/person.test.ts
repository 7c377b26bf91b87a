import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contactOf, normaliseDisplayPhone, normalisePhone, readContacts, readPerson, withContact } from './person.ts';

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

  it('reads a number as it is shown to people', () => {
    for (const shown of ['+1 (555) 078-3881', '1.555.078.3881', '\u200e+1 555\u00a0078 3881'])
      assert.equal(normaliseDisplayPhone(shown), '+15550783881');
    assert.equal(normaliseDisplayPhone('none'), undefined);
  });

  it('takes a user id in the place of the number for what it is', () => {
    const misplaced = readPerson('GB.44770090012', undefined);
    assert.deepEqual(misplaced, { phone: undefined, userId: 'GB.44770090012', parentUserId: undefined });
    const both = readPerson('447700900123', 'GB.1', 'GB.ENT.1');
    assert.deepEqual(both, { phone: '+447700900123', userId: 'GB.1', parentUserId: 'GB.ENT.1' });
    assert.equal(readPerson('447700900123', undefined).userId, undefined);
  });

  it('finds a contact among several by either identity, and adds what only it tells', () => {
    const people = [
      { wa_id: '447700900123', user_id: 'GB.1' },
      { wa_id: '447700900124', user_id: 'GB.2', parent_user_id: 'GB.ENT.2' },
      { user_id: 'GB.3' },
    ];
    const contacts = readContacts({ contacts: people }, 3);
    const byPhone = readPerson('447700900124', undefined);
    const byUserId = readPerson(undefined, 'GB.1');
    assert.equal(contactOf(contacts, readPerson(undefined, undefined)), undefined);
    assert.equal(contactOf(contacts, readPerson('447700900199', 'GB.9')), undefined);
    assert.deepEqual(withContact(byPhone, contactOf(contacts, byPhone)), {
      phone: '+447700900124',
      userId: 'GB.2',
      parentUserId: 'GB.ENT.2',
    });
    assert.deepEqual(withContact(byUserId, contactOf(contacts, byUserId)), {
      phone: '+447700900123',
      userId: 'GB.1',
      parentUserId: undefined,
    });
    assert.deepEqual(withContact(byUserId, undefined), byUserId);
    const all = readPerson('447700900123', 'GB.1', 'GB.ENT.1');
    assert.deepEqual(
      withContact(all, readPerson('447700900124', 'GB.2', 'GB.ENT.2')),
      all,
      'the contact changes nothing',
    );
  });

  it('takes the only contact of the only item, unless it is somebody else', () => {
    const contacts = [{ wa_id: '447700900123', user_id: 'GB.1' }];
    const one = readContacts({ contacts }, 1);
    const nobody = readPerson(undefined, undefined);
    assert.equal(contactOf(one, nobody)?.userId, 'GB.1');
    assert.equal(contactOf(one, readPerson('447700900124', undefined)), undefined);
    assert.equal(contactOf(one, readPerson(undefined, 'GB.2')), undefined);
    assert.equal(contactOf(one, readPerson('447700900123', 'GB.1'))?.userId, 'GB.1');
    const userIdOnly = readContacts({ contacts: [{ user_id: 'GB.1' }] }, 1);
    assert.equal(contactOf(userIdOnly, readPerson('447700900123', undefined))?.userId, 'GB.1');
    const numberOnly = readContacts({ contacts: [{ wa_id: '447700900123' }] }, 1);
    assert.equal(contactOf(numberOnly, readPerson(undefined, 'GB.1'))?.phone, '+447700900123');
    assert.equal(contactOf(readContacts({ contacts }, 2), nobody), undefined);
    assert.equal(contactOf(readContacts({ contacts: [...contacts, {}] }, 1), nobody), undefined);
    assert.equal(contactOf(readContacts({ contacts: contacts[0] }, 1), nobody)?.userId, 'GB.1');
  });
});

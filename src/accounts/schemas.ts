import { Type } from 'typebox';
import { EXAMPLE } from '../http/examples.ts';
import { accountId, answer, flag, idOf, orNull, ref, text, time, word } from '../http/schema-words.ts';
import { SCOPES } from '../kernel/principal.ts';

const MODE = word('Whether it belongs to the real provider or to the sandbox.', ['live', 'test']);
const SCOPE_LIST = Type.Array(word('A scope.', SCOPES), { description: 'What the key may do.' });
const EXPIRES_AT = orNull(time('When it stops being valid; null: never.'));

const KEY_MEMBERS = {
  id: idOf('key', 'The id of the key, which is no secret. The audit log says by it who made a change.'),
  account_id: accountId(),
  name: text('What it is for, in the words of whoever made it.'),
  mode: MODE,
  scopes: SCOPE_LIST,
  expires_at: EXPIRES_AT,
  rolled_at: orNull(time('When it was rolled, which can be done once; null: it was not.')),
  last_used_at: orNull(time('When it was last used, to the minute or so; null: never.')),
  created_at: time('When it was made.'),
};
const KEY_EXAMPLE = {
  id: EXAMPLE.keyId,
  account_id: EXAMPLE.accountId,
  name: 'The shop',
  mode: 'test',
  scopes: [...SCOPES],
  expires_at: null,
  rolled_at: null,
  last_used_at: null,
  created_at: EXAMPLE.at,
};

/** Shared schemas of accounts, keys and the audit log. */
export const accountSchemas = {
  Account: answer(
    'A customer of the platform.',
    {
      id: accountId('The id of the account.'),
      name: text('The name that the platform has given it. Two accounts may have the same.'),
      suspended: flag(
        'Whether it is suspended: then its keys may read, and every other call is 403 `account_suspended`.',
      ),
      created_at: time('When it was created.'),
    },
    { id: EXAMPLE.accountId, name: 'The shop', suspended: false, created_at: EXAMPLE.at },
  ),
  OwnAccount: answer(
    'The account, and the key that this call was made with.',
    {
      id: accountId('The id of the account.'),
      name: text('The name that the platform has given it. Two accounts may have the same.'),
      mode: MODE,
      key: answer('The key that this call was made with.', {
        id: KEY_MEMBERS.id,
        name: KEY_MEMBERS.name,
        scopes: SCOPE_LIST,
        expires_at: EXPIRES_AT,
      }),
    },
    {
      id: EXAMPLE.accountId,
      name: 'The shop',
      mode: 'test',
      key: { id: EXAMPLE.keyId, name: 'The shop', scopes: [...SCOPES], expires_at: null },
    },
  ),
  Key: answer('A key of an account, without the key itself.', KEY_MEMBERS, KEY_EXAMPLE),
  NewKey: answer(
    'A key as it was just made.',
    { ...KEY_MEMBERS, key: text('The key itself. It is shown this once: only its hash is kept.') },
    { ...KEY_EXAMPLE, key: '<API_KEY>' },
  ),
  AuditEntry: answer(
    'One change that was made with any key, or by the platform.',
    {
      id: idOf('aud', 'The id of the entry.'),
      at: time('When it was made.'),
      account_id: orNull(accountId('The account that it concerns; null if it concerns none.')),
      actor: text(
        'Who made it: the id of a key, `platform`, or `first start` for the demonstration account and its key, which a start makes.',
      ),
      action: text('What was done: the kind of thing and a verb, such as `key.created`.'),
      target: orNull(text('What it was done to: an id.')),
      detail: ref('AuditDetail', 'What was changed.'),
    },
    {
      id: EXAMPLE.auditId,
      at: EXAMPLE.at,
      account_id: EXAMPLE.accountId,
      actor: 'platform',
      action: 'account.updated',
      target: EXAMPLE.accountId,
      detail: { suspended: true },
    },
  ),
  AuditDetail: Type.Unsafe({
    type: 'object',
    additionalProperties: true,
    description: 'What was changed; its members differ by the action. Never a secret, and never what a person wrote.',
    examples: [{ suspended: true }],
  }),
};

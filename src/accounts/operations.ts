import { EXAMPLE } from '../http/examples.ts';
import type { Operation } from '../http/operation.ts';
import { listOf, ref } from '../http/schema-words.ts';
import { LOCATION } from '../http/shared-headers.ts';

const account = { id: `The id of the account, such as \`${EXAMPLE.accountId}\`.` };
const key = { id: `The id of the key, such as \`${EXAMPLE.keyId}\`.` };

/** How the API description tells of accounts, keys and the audit log. */
export const accountOperations = {
  create: {
    id: 'createAccount',
    tag: 'Platform: accounts',
    description: 'Creates an account. It starts with one test channel, and without a key.',
    answers: { 201: { description: 'The account.', schema: ref('Account'), headers: { Location: LOCATION } } },
  },
  list: {
    id: 'listAccounts',
    tag: 'Platform: accounts',
    description: 'Lists the accounts that were not deleted.',
    answers: { 200: { description: 'A page of accounts.', schema: listOf('Account') } },
  },
  read: {
    id: 'readAccount',
    tag: 'Platform: accounts',
    description: 'Reads one account.',
    params: account,
    answers: { 200: { description: 'The account.', schema: ref('Account') } },
  },
  change: {
    id: 'changeAccount',
    tag: 'Platform: accounts',
    description: 'Renames, suspends or resumes an account. One that is suspended may only read.',
    params: account,
    answers: { 200: { description: 'The account as it is now.', schema: ref('Account') } },
  },
  createKey: {
    id: 'createKey',
    tag: 'Platform: accounts',
    description: 'Makes a key of an account. Without scopes it may do everything.',
    params: account,
    answers: {
      201: {
        description: 'The key, which is shown this once.',
        schema: ref('NewKey'),
        headers: { Location: LOCATION },
      },
    },
  },
  listKeys: {
    id: 'listKeys',
    tag: 'Platform: accounts',
    description: 'Lists the keys of an account that were not revoked, expired ones too.',
    params: account,
    answers: { 200: { description: 'A page of keys.', schema: listOf('Key') } },
  },
  rollKey: {
    id: 'rollKey',
    tag: 'Platform: accounts',
    description:
      'Makes a new key that is like the old one, which stays valid for the overlap. A key is rolled once, and only while it is valid: create a new one to replace one that has expired.',
    params: key,
    answers: {
      201: {
        description: 'The new key, which is shown this once.',
        schema: ref('NewKey'),
        headers: { Location: LOCATION },
      },
    },
  },
  revokeKey: {
    id: 'revokeKey',
    tag: 'Platform: accounts',
    description: 'Revokes a key. Every node refuses it within two seconds.',
    params: key,
    answers: { 204: { description: 'It is revoked.' } },
  },
  audit: {
    id: 'listAudit',
    tag: 'Platform: operation',
    description: 'Lists what was changed with any key. Entries about a deleted account stay.',
    answers: { 200: { description: 'A page of entries.', schema: listOf('AuditEntry') } },
  },
  own: {
    id: 'readOwnAccount',
    tag: 'Account',
    description:
      'Says to which account the key belongs, its mode, and what it may do. Any key may ask, whatever its scopes.',
    answers: { 200: { description: 'The account and the key.', schema: ref('OwnAccount') } },
  },
} as const satisfies Record<string, Operation>;

import { ApiError } from '../../src/kernel/errors.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { AccountPrincipal, Mode } from '../../src/kernel/principal.ts';

/** Keys that are not in the database, for a server with the routes of one slice. */
export interface MadeUpKeys {
  authenticate(authorization: string | undefined): Promise<AccountPrincipal>;
  /** Makes a key: of the account that is wished for, or of a new one; in test mode and with every scope, unless it is told otherwise. */
  make(wish?: KeyWish): { key: string; principal: AccountPrincipal };
  revoke(key: string): void;
}

export interface KeyWish {
  accountId?: string;
  mode?: Mode;
  scopes?: string[];
}

export function createMadeUpKeys(): MadeUpKeys {
  const principals = new Map<string, AccountPrincipal>();
  return {
    async authenticate(authorization) {
      const principal = principals.get(authorization?.replace('Bearer ', '') ?? '');
      if (principal === undefined) throw new ApiError('invalid_api_key', 'The key is not valid.');
      return principal;
    },
    make({ accountId = newId(), mode = 'test', scopes } = {}) {
      const keyId = newId();
      const names = { accountName: 'Test account', keyName: 'Test key' };
      const account = { accountId, suspended: false, expiresAt: undefined };
      const principal: AccountPrincipal = { kind: 'account', ...account, ...names, keyId, mode, scopes };
      principals.set(keyId, principal);
      return { key: keyId, principal };
    },
    revoke: (key) => void principals.delete(key),
  };
}

/** Whether a key, a channel and all their data belong to the real provider or to the sandbox. */
export type Mode = 'live' | 'test';

/** Whose data: an account sees by each key only what is of the key's mode. */
export interface Owner {
  accountId: string;
  mode: Mode;
}

/** What keys of accounts may do. A key without a list of scopes may do all of it. */
export const SCOPES = [
  'messages:send',
  'messages:read',
  'events:read',
  'endpoints:manage',
  'templates:read',
  'channels:read',
] as const;
export type Scope = (typeof SCOPES)[number];

/** An account, as one of its keys calls for it. */
export interface AccountPrincipal extends Owner {
  kind: 'account';
  accountName: string;
  suspended: boolean;
  keyId: string;
  keyName: string;
  /** undefined: all. */
  scopes: readonly string[] | undefined;
  expiresAt: Date | undefined;
}

/** The platform itself, by one of the keys in its settings. */
export interface PlatformPrincipal {
  kind: 'platform';
}

export type Principal = AccountPrincipal | PlatformPrincipal;

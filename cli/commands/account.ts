import type { CommandSpec } from '../command-spec.ts';

/** Whose key it is, and what it may do. */
export const accountCommand: CommandSpec = {
  use: 'account',
  about: 'shows the account of the key, and what the key may do',
  key: 'account',
  examples: ['account'],
  async run({ api, out }) {
    out.thing(await api.call('GET', '/api/v1/account'));
  },
};

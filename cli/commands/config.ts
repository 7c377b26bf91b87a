import type { CommandSpec } from '../command-spec.ts';
import { maskKey, type Sourced } from '../settings.ts';

/** Where the address and the keys come from. A key itself is never shown. */
export const configCommand: CommandSpec = {
  use: 'config',
  about: 'shows which address and keys are used, and where they come from',
  key: 'none',
  examples: ['config'],
  async run({ settings: { url, keys }, out }) {
    const masked = (key: Sourced | undefined) => key && { ...key, value: maskKey(key.value) };
    const found = { url, api_key: masked(keys.account), platform_key: masked(keys.platform) };
    if (out.json) out.line(JSON.stringify(found));
    else
      out.table(
        Object.entries(found).map(([name, value]) => ({ name, value: value?.value, source: value?.source })),
        { SETTING: 'name', VALUE: 'value', FROM: 'source' },
      );
  },
};

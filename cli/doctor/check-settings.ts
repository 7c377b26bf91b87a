import { isPlatformKey, maskKey, type Settings, type Sourced } from '../settings.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Checks what is known before any call is made. */
export function checkSettings({ url, keys: { account } }: Settings): Finding[] {
  if (url === undefined)
    return [
      fail('address', 'No gateway is known.', 'Start one with "npm start", or name it with --url or WAYPOST_URL.'),
    ];
  return [
    isExposed(url.value)
      ? warn(
          'address',
          `${url.value} (${url.source})`,
          'Keys and messages go over the network as plain text: use https.',
        )
      : ok('address', `${url.value} (${url.source})`),
    checkKey(account),
  ];
}

function checkKey(key: Sourced | undefined): Finding {
  const todo = 'Give a key of an account with --key-file or WAYPOST_API_KEY.';
  if (key === undefined) return fail('key', 'There is none for this gateway.', todo);
  const told = `${maskKey(key.value)} (${key.source})`;
  return isPlatformKey(key.value)
    ? fail('key', `${told} is a platform key, which opens no account.`, todo)
    : ok('key', told);
}

function isExposed(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

import { relative } from 'node:path';
import type { DevFile } from './demo.ts';

/** Where commands look for `dev.json` unless they are told otherwise. */
const DEFAULT_DATA_DIR = '.waypost';

/**
 * What a start tells a developer on this machine: where everything is, and lines to paste. The test key sends to the sandbox
 * only, so there are none while that is off.
 */
export function welcome(dev: DevFile, dataDir: string): string {
  return `
Waypost is ready.

  API       ${dev.base_url}/api/v1
  Console   ${dev.console_url}
  Docs      ${dev.base_url}/docs
  Sandbox   ${dev.sandbox_url ?? 'off'}
  Test key  ${dev.test_key}
  All of it ${dataDir}/dev.json

${dev.sandbox_url === null ? WITHOUT_SANDBOX : firstSteps(dev, dataDir)}
Stop with Ctrl-C.
`;
}

const WITHOUT_SANDBOX = `The sandbox is off, so the test key cannot send. Start without WAYPOST_SANDBOX=off to try it.
`;

function firstSteps(dev: DevFile, dataDir: string): string {
  const elsewhere = relative(DEFAULT_DATA_DIR, dataDir) === '' ? '' : `WAYPOST_DATA_DIR=${quoted(dataDir)} `;
  return `Send to three people at once; one is reached, one is refused, one cannot be read:

curl -sS ${quoted(`${dev.base_url}/api/v1/messages/send`)} \\
  -H 'Authorization: Bearer ${dev.test_key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"to": ["+447700900123", "+15550131026", "0770"], "type": "text", "text": {"body": "Your parcel is here"}}'

Watch what becomes of them, in a second terminal, while you send again:

${elsewhere}npm run listen

Or from the command line: ${elsewhere}npx waypost send --to +447700900123 --text 'Your parcel is here'
`;
}

/** Quotes a path or an address for a shell, where that is needed: zsh takes the brackets of `[::1]` for a pattern. */
function quoted(path: string): string {
  return /^[\w./:-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

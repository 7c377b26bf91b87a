import { createApi } from '../api.ts';
import type { Invocation } from '../command-spec.ts';
import { EXIT } from '../failure.ts';
import { isPlatformKey } from '../settings.ts';
import { colourWord, printable, type Terminal } from '../table.ts';
import { checkAccount } from './check-account.ts';
import { checkCallback } from './check-callback.ts';
import { checkGateway } from './check-gateway.ts';
import { checkSettings } from './check-settings.ts';
import type { Finding } from './finding.ts';

/** Checks from outside everything that a send and its events need. What cannot be checked is a warning. */
export async function runDoctor({ options, settings, out, around }: Invocation): Promise<number> {
  const findings: Finding[] = [];
  const tell = (found: readonly Finding[]) => {
    findings.push(...found);
    if (!out.json) for (const finding of found) out.line(describe(finding, around.stdout));
  };
  tell(checkSettings(settings));
  const { url } = settings;
  if (url !== undefined) {
    const key = settings.keys.account;
    const api = createApi(url.value, key?.value, key?.source ?? '');
    const gateway = await checkGateway(api);
    tell(gateway.findings);
    if (gateway.reachable && key !== undefined && !isPlatformKey(key.value)) tell(await checkAccount(api, options));
    tell(await checkCallback(options, settings, url.value));
  }
  if (out.json) out.line(JSON.stringify({ checks: findings }));
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length;
  if (!out.json) out.note(`${count('ok')} ok, ${count('warn')} warn, ${count('fail')} fail`);
  return count('fail') === 0 ? EXIT.done : EXIT.failed;
}

/** Two lines at most. What they say may be from a stranger: from whatever answers at the address, or before it. */
function describe({ level, check, detail, todo }: Finding, terminal: Terminal): string {
  const line = `${colourWord(level.padEnd(4), terminal)}  ${check.padEnd(13)}  ${printable(detail)}`;
  return todo === undefined ? line : `${line}\n${' '.repeat(21)}${printable(todo)}`;
}

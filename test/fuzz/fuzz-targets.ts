import fc from 'fast-check';
import { createSandbox } from '../../sandbox/server.ts';
import { PlainFault } from '../../src/run-tool.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { LINE } from './notification-body.ts';
import type { FuzzTarget } from './target.ts';
import { anyCallTarget } from './targets/any-call.ts';
import { decodeTarget } from './targets/decode.ts';
import { addressGuardTarget, endpointUrlTarget } from './targets/endpoint-url.ts';
import { notificationTarget } from './targets/notifications.ts';
import { parseSendTarget } from './targets/parse-send.ts';
import { sandboxTarget } from './targets/sandbox.ts';
import { sendTarget } from './targets/send.ts';
import { sequenceTarget } from './targets/sequences.ts';
import { signatureOverHttpTarget, signatureTarget } from './targets/signature.ts';

/** Targets that call nobody come last: they keep this process busy, and the gateway in it would lose its connections meanwhile. */
const TARGETS: FuzzTarget[] = [
  ...[sequenceTarget, sendTarget, notificationTarget, signatureOverHttpTarget, anyCallTarget, sandboxTarget],
  ...[parseSendTarget, decodeTarget, signatureTarget, endpointUrlTarget, addressGuardTarget],
];
/** More runs than fit into any time. */
const RUNS_MAX = 1_000_000_000;

/** The seed and the path of a failure that is to be repeated; empty if there is none. */
interface Again {
  seed?: number;
  path?: string;
}

interface Choice {
  /** A part of the names of those that are wished for. */
  name: string;
  /** For all of them together. */
  seconds: number;
  again: Again;
}

/** Returns the exit code. Throws a sentence if no target has such a name. */
export async function fuzzTargets({ name: part, seconds, again }: Choice): Promise<number> {
  const targets = TARGETS.filter(({ name }) => name.includes(part));
  if (targets.length === 0) throw new PlainFault(`There is no target with ${part} in its name.`, 2);
  // What live channels send goes to a sandbox too.
  const provider = await createSandbox({ port: 0, appSecret: 'unused', statuses: 'off' });
  const gateway = await startGateway(provider.url);
  let failed = 0;
  for (const target of targets)
    if (!(await fuzz(gateway, target, { forMs: (seconds * 1_000) / targets.length, again }))) failed += 1;
  await gateway.stop();
  await provider.close();
  console.log(failed === 0 ? 'Nothing was found.' : `${failed} of ${targets.length} have failed.`);
  return failed === 0 ? 0 : 1;
}

async function startGateway(providerUrl: string): Promise<TestGateway> {
  const gateway = await startTestGateway({
    sandbox: { statuses: 'off', timeScale: 100 },
    settings: {
      WAYPOST_PROVIDER_URL: providerUrl,
      WAYPOST_SEND_DEADLINE_MS: '2000',
      WAYPOST_PROVIDER_TIMEOUT_MS: '500',
    },
  });
  await gateway.database.query('update channel set phone_number_id = $1, business_account_id = $2, phone_number = $3', [
    LINE.phoneNumberId,
    LINE.businessAccountId,
    LINE.phoneNumber,
  ]);
  return gateway;
}

interface Wish {
  forMs: number;
  again: Again;
}

/** Returns whether all went well. Prints how much was tried, and how a failure can be repeated. */
async function fuzz(gateway: TestGateway, target: FuzzTarget, { forMs, again }: Wish): Promise<boolean> {
  const details = await fc.check(target.property(gateway), {
    numRuns: RUNS_MAX,
    interruptAfterTimeLimit: forMs,
    ...again,
  });
  if (details.failed) {
    console.log(`FAILED ${target.name}, after ${details.numRuns} runs`);
    console.log(fc.defaultReportMessage(details));
    console.log(details.errorInstance);
    console.log(
      `Again: npm run fuzz -- --target '${target.name}' --seed ${details.seed} --path '${details.counterexamplePath}'`,
    );
    return false;
  }
  await target.after?.(gateway);
  console.log(`ok     ${target.name}: ${details.numRuns} runs`);
  return true;
}

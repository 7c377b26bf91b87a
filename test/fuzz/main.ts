import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { PlainFault, runTool } from '../../src/run-tool.ts';
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
import { signatureOverHttpTarget, signatureTarget } from './targets/signature.ts';

const USAGE = `npm run fuzz -- [--seconds N] [--target TEXT] [--seed S --path P]

Gives every door whatever can be thought of, each time something else, until the time is over.
  --seconds N    for all of them together (60)
  --target TEXT  only those whose name holds this
  --seed S       one failure again, with the path that was printed
  --path P`;

/** Targets that call nobody come last: they keep this process busy, and the gateway in it would lose its connections meanwhile. */
const TARGETS: FuzzTarget[] = [
  ...[sendTarget, notificationTarget, signatureOverHttpTarget, anyCallTarget, sandboxTarget],
  ...[parseSendTarget, decodeTarget, signatureTarget, endpointUrlTarget, addressGuardTarget],
];
/** More runs than fit into any time. */
const RUNS_MAX = 1_000_000_000;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '60' },
      target: { type: 'string', default: '' },
      seed: { type: 'string' },
      path: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const seconds = Number(values.seconds);
  if (!(seconds > 0)) throw new PlainFault('--seconds must be a number above 0.', 2);
  const targets = TARGETS.filter(({ name }) => name.includes(values.target));
  if (targets.length === 0) throw new PlainFault(`There is no target with ${values.target} in its name.`, 2);
  const again = values.seed === undefined ? {} : { seed: Number(values.seed), path: values.path };
  const gateway = await startGateway();
  let failed = 0;
  for (const target of targets)
    if (!(await fuzz(gateway, target, { forMs: (seconds * 1_000) / targets.length, again }))) failed += 1;
  await gateway.stop();
  console.log(failed === 0 ? 'Nothing was found.' : `${failed} of ${targets.length} have failed.`);
  return failed === 0 ? 0 : 1;
}

async function startGateway(): Promise<TestGateway> {
  const gateway = await startTestGateway({
    sandbox: { statuses: 'off', timeScale: 100 },
    settings: { WAYPOST_SEND_DEADLINE_MS: '2000', WAYPOST_PROVIDER_TIMEOUT_MS: '500' },
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
  /** The seed and the path of a failure that is to be repeated; empty if there is none. */
  again: { seed?: number; path?: string };
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

await runTool(main);

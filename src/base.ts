import type { Logger } from 'pino';
import { checkMasterKey } from './accounts/master-key.ts';
import type { Config } from './config.ts';
import type { Deliveries } from './endpoints/deliver/deliver.ts';
import { systemClock } from './kernel/clock.ts';
import { type KeepLimits, keepLimits } from './kernel/keep.ts';
import { type RunStep, runOnce } from './kernel/run-step.ts';
import { createSealer, type Sealer } from './kernel/sealed.ts';
import { createTraces } from './observe/traces.ts';
import type { Secrets } from './secrets.ts';
import type { Database } from './store/database.ts';
import { VERSION } from './version.ts';
import { createWatch, type Watch } from './watch/watch.ts';

export interface AppDeps {
  config: Config;
  secrets: Secrets;
  database: Database;
  log: Logger;
  /** undefined: the sandbox is off. */
  sandboxUrl: string | undefined;
  /** For what needs the database before anything is taken; without it, a database that is away ends the start. */
  runStep?: RunStep;
}

/** What changes while the process lives. Its parts ask for it each time. */
export interface Life {
  /** Without a final slash. */
  publicUrl: string;
  accepting: boolean;
  /** It will stop soon, or is stopping: balancers are told, and callers' connections are not kept open. */
  leaving: boolean;
  /** Ends streams and waiting reads. */
  closing: AbortController;
  /** undefined until `begin`, because what it sends names our address. */
  deliveries: Deliveries | undefined;
}

/** What all parts of a gateway stand on. */
export interface Base {
  config: Config;
  secrets: Secrets;
  sealer: Sealer;
  /** The watched one. */
  database: Database;
  log: Logger;
  clock: typeof systemClock;
  watch: Watch;
  life: Life;
  /** undefined: the sandbox is off. */
  sandboxUrl: string | undefined;
  runStep: RunStep;
  /** Where the error pages are. */
  docsUrl(): string;
  /** The limits of keeping as they are when asked for. */
  limits(): KeepLimits;
}

/** Throws a sentence for the operator if the master key does not open what is stored. */
export async function createBase({ runStep = runOnce, ...given }: AppDeps): Promise<Base> {
  const { config, secrets, log } = given;
  const sealer = createSealer(secrets.masterKey);
  await runStep(() => checkMasterKey(given.database, sealer));
  const life: Life = {
    publicUrl: config.publicUrl ?? '',
    accepting: false,
    leaving: false,
    closing: new AbortController(),
    deliveries: undefined,
  };
  const traces = await createTraces(config.traces, VERSION, () => log.warn('traces.not_exported'));
  const accepting = () => life.accepting;
  const limits = () => keepLimits(config.keep, systemClock.nowMs());
  const watch = createWatch({ database: given.database, log, traces, version: VERSION, accepting, limits });
  return {
    ...given,
    sealer,
    database: watch.database,
    clock: systemClock,
    watch,
    life,
    runStep,
    docsUrl: () => `${life.publicUrl}/docs/errors`,
    limits,
  };
}

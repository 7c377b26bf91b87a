import type { Logger } from 'pino';
import type { KeyUses } from './accounts/key-uses.ts';
import { createKeepSubscribed } from './channels/keep-subscribed.ts';
import { readDueFacts } from './channels/read-facts.ts';
import { eraseRound } from './erasure/erase-round.ts';
import type { Round } from './jobs/start-rounds.ts';
import { keepRound } from './keeping/keep-round.ts';
import type { Clock } from './kernel/clock.ts';
import type { KeepDays } from './kernel/keep.ts';
import type { Sealer } from './kernel/sealed.ts';
import type { Provider } from './provider/port.ts';
import { createBatchShares } from './store/batch-shares.ts';
import type { Database } from './store/database.ts';

/** A key's last use can be read after this time. Each key is written once a minute at most. */
const KEY_USES_EVERY_MS = 10_000;
/** Short, because a notification may ask for facts. By themselves they are due once an hour. */
const FACTS_EVERY_MS = 2_000;
const ERASE_EVERY_MS = 2_000;
/** Most of its tasks are due once an hour. One with much to do goes on in the next round. */
const KEEP_EVERY_MS = 60_000;

interface Deps {
  database: Database;
  provider: Provider;
  sealer: Sealer;
  sandbox: boolean;
  keyUses: KeyUses;
  keep: KeepDays;
  clock: Clock;
  /** See `settledAfterMs`. */
  settledMs: number;
  log: Logger;
  /** Aborted when the process stops, which waits for the rounds under way. */
  closing: AbortSignal;
}

/** What every node does by itself for the platform. */
export function platformRounds(deps: Deps): Round[] {
  const { database, provider, sealer, sandbox, keyUses, keep: days, clock, settledMs, log, closing } = deps;
  const keepSubscribed = createKeepSubscribed(provider, log);
  const [erasures, keepings] = [createBatchShares(), createBatchShares()];
  const facts = { database, provider, sealer, log, sandbox, keepSubscribed };
  return [
    { name: 'key_uses', run: () => keyUses.flush(), everyMs: KEY_USES_EVERY_MS },
    { name: 'facts', run: () => readDueFacts(facts), everyMs: FACTS_EVERY_MS },
    { name: 'erasure', run: () => eraseRound(database, settledMs, closing, erasures), everyMs: ERASE_EVERY_MS },
    {
      name: 'keeping',
      run: () => keepRound({ database, days, clock, log, closing }, keepings),
      everyMs: KEEP_EVERY_MS,
    },
  ];
}

import type { KeyUses } from './accounts/key-uses.ts';
import { readDueFacts } from './channels/read-facts.ts';
import { eraseRound } from './erasure/erase-round.ts';
import type { Sealer } from './kernel/sealed.ts';
import type { Provider } from './provider/port.ts';
import type { Database } from './store/database.ts';

/** A key's last use is told within this time; each is written once a minute at most. */
const KEY_USES_EVERY_MS = 10_000;
/** Short, because a notification may have asked for it; what is due by the clock is due once an hour. */
const FACTS_EVERY_MS = 2_000;
const ERASE_EVERY_MS = 2_000;

interface Deps {
  database: Database;
  provider: Provider;
  sealer: Sealer;
  sandbox: boolean;
  keyUses: KeyUses;
}

/** What the platform's part does by itself, on every node. */
export function platformRounds({ database, provider, sealer, sandbox, keyUses }: Deps) {
  return [
    { run: () => keyUses.flush(), everyMs: KEY_USES_EVERY_MS },
    { run: () => readDueFacts({ database, provider, sealer, sandbox }), everyMs: FACTS_EVERY_MS },
    { run: () => eraseRound(database), everyMs: ERASE_EVERY_MS },
  ];
}

import type { Channels, SendingChannel } from '../channels/channels.ts';
import type { Database } from '../store/database.ts';
import { doEach } from '../store/do-each.ts';
import type { TemplateRegistry } from './registry.ts';
import type { TemplateOwner } from './store.ts';
import { READ_AT_A_TIME } from './sync.ts';
import { claimDueSyncs, forgetGoneSyncs, noteNewSyncs, readDatabaseTime } from './sync-store.ts';

/** How often a node looks for templates that are due. */
const LOOK_MS = 10_000;
/** A round that takes minutes looks like one that hangs. What is left is for the next one. */
const ROUND_MS = 30_000;

interface Deps {
  database: Database;
  channels: Pick<Channels, 'listUsable' | 'forget'>;
  registry: TemplateRegistry;
  /** Aborted when the process stops, which waits for the readings under way. */
  closing: AbortSignal;
}

/** What keeps templates up to date, on every node. */
export function templateRounds(deps: Deps) {
  return [
    { name: 'templates_new', run: () => keepSyncs(deps.database), everyMs: LOOK_MS },
    { name: 'templates', run: () => syncDueTemplates(deps), everyMs: LOOK_MS, atATime: READ_AT_A_TIME },
  ];
}

/** Has business accounts read that have a channel now, and no longer those that have none. Returns how many there were of both. */
async function keepSyncs(database: Database): Promise<number> {
  const [gone = 0, fresh = 0] = await doEach([() => forgetGoneSyncs(database), () => noteNewSyncs(database)]);
  return gone + fresh;
}

/**
 * Reads the templates of the business accounts that are due, one after another, each by one node at a time. Returns how many. Each is claimed
 * only when its turn has come, so that a provider that takes minutes for one, or a fault, keeps no other from being read meanwhile.
 * A business account that becomes due by news after the round has begun is left to the next round; one with much news would else be
 * read all the time.
 */
export async function syncDueTemplates({ database, channels, registry, closing }: Deps): Promise<number> {
  const begunAt = await readDatabaseTime(database);
  const untilMs = performance.now() + ROUND_MS;
  let syncs = 0;
  while (!closing.aborted && performance.now() < untilMs) {
    const [due] = await claimDueSyncs(database, begunAt, 1);
    if (due === undefined) break;
    syncs += 1;
    const channel = await findChannel(channels, due);
    // Its only channel may just have been removed. If the provider is away, it is due again in a minute. If it is due while it is
    // being read here, there was news that the list under way may not have.
    if (channel !== undefined) await registry.syncAnew(channel, closing);
  }
  return syncs;
}

/** One that it can be read by. What this node remembers of the account may be from before its channel was connected; then it is asked anew. */
async function findChannel(
  channels: Deps['channels'],
  { accountId, mode, businessAccountId }: TemplateOwner,
): Promise<SendingChannel | undefined> {
  const find = async () =>
    (await channels.listUsable(accountId, mode)).find(
      (one) => one.businessAccountId === businessAccountId && !one.suspended,
    );
  const known = await find();
  if (known !== undefined) return known;
  channels.forget(accountId);
  return find();
}

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { after, before, it } from 'node:test';
import { findQuickFolder } from '../../../test/support/quick-folder.ts';
import { newId } from '../../kernel/ids.ts';
import { type Database, openDatabase } from '../database.ts';
import { migrate } from '../migrate.ts';
import { type Embedded, startEmbedded } from './embedded.ts';

/** The longest time for which messages can be kept. */
const LONGEST_DAYS = 3_650;
/** As many as a gateway opens by default. */
const CONNECTIONS = 10;

let dataDir: string;
let embedded: Embedded;
let database: Database;
before(async () => {
  dataDir = await mkdtemp(`${await findQuickFolder()}/waypost-many-weeks-`);
  embedded = await startEmbedded({ dataDir, durable: false, log: { warn() {}, error() {} } });
  const { connection } = embedded;
  database = openDatabase({ connection, connections: CONNECTIONS, onError: () => undefined });
});
after(async () => {
  await database.close();
  await embedded.stop();
  await rm(dataDir, { recursive: true, force: true });
});

it('all connections of a gateway can read messages at once, however long these are kept', async () => {
  await migrate(database);
  const make = "select partitions_make('message', now() - make_interval(days => $1), now())";
  await database.transaction((tx) => tx.query(make, [LONGEST_DAYS]), { statementTimeoutMs: 300_000 });
  const read = 'select 1 from message where account_id = $1 and provider_message_id = $2';
  const { promise: all, resolve } = Promise.withResolvers<void>();
  let asked = 0;
  const reads = Array.from({ length: CONNECTIONS }, () =>
    database.transaction(async (tx) => {
      await tx.query(read, [newId(), 'wamid.none']).finally(() => {
        asked += 1;
        // None ends before all have asked: so what they have locked for their plans is locked at the same time.
        if (asked === CONNECTIONS) resolve();
      });
      await all;
    }),
  );
  const outcomes = await Promise.allSettled(reads);
  assert.deepEqual(new Set(outcomes.map(({ status }) => status)), new Set(['fulfilled']));
});

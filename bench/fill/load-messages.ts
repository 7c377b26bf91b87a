import { Client } from 'pg';
import type { Connection } from '../../src/store/database.ts';
import { type Owner, writeBlocks } from './blocks.ts';
import { connectionOptions } from './connection.ts';
import { writeCounts } from './counts.ts';
import { writeLasting } from './lasting.ts';
import { FILLINGS } from './rows.ts';
import { firstBlockFrom, makeSchedule, type Schedule } from './schedule.ts';
import { closeWeek, fillWeek, openWeek, type Week, weeksOf } from './weeks.ts';

export interface LoadWish {
  connection: Connection;
  messages: number;
  nowMs: number;
  /** Called when a part is done. */
  onProgress(what: string, rows: number): void;
}

/** Each connection fills one week at a time. Most machines have two processors to spare. */
const CONNECTIONS = 2;

/** Every account with one connected channel: a live one if there is one, and the oldest of these. */
const OWNERS = `
  select distinct on (c.account_id) c.account_id, c.id as channel_id, k.id as key_id, c.mode, c.phone_number,
    c.phone_number_id, c.business_account_id, coalesce(s.last, 0)::integer as last
  from channel c
  join api_key k on k.account_id = c.account_id and k.mode = c.mode
  left join event_sequence s on s.account_id = c.account_id and s.mode = c.mode
  where c.status = 'connected' order by c.account_id, c.mode, c.id`;

/**
 * Fills a database, on which no gateway runs, with the messages of the last eight weeks and everything that belongs to them, as a gateway
 * would have left it: what is past its time is not there. The messages belong to the accounts that have a key and a channel. Returns how
 * many rows were written.
 */
export async function loadMessages({ connection, messages, nowMs, onProgress }: LoadWish): Promise<number> {
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => connect(connection)));
  const [first] = clients;
  if (first === undefined) throw new RangeError('There is no connection');
  try {
    const schedule = makeSchedule(messages, nowMs);
    const { rows: owners } = await first.query<Owner>(OWNERS);
    await writeBlocks(first, schedule, owners);
    onProgress('the plan', schedule.blocks);
    const weeks = FILLINGS.flatMap((filling) => weeksOf(filling, fromOf(filling, schedule), nowMs));
    for (const week of weeks) await openWeek(first, week);
    const waiting = [...weeks];
    let rows = 0;
    const work = async (client: Client) => {
      for (let week = waiting.shift(); week !== undefined; week = waiting.shift()) {
        const written = await fillWeek(client, week, valuesOf(week, schedule));
        rows += written;
        onProgress(week.name, written);
      }
    };
    await Promise.all(clients.map(work));
    for (const week of weeks) await closeWeek(first, week);
    rows += await writeLasting(first, schedule);
    rows += await writeCounts(first, schedule, nowMs);
    await first.query('drop schema fill cascade');
    return rows;
  } finally {
    for (const client of clients) await client.end();
  }
}

function fromOf({ parent, keptFromMs }: (typeof FILLINGS)[number], schedule: Schedule): number {
  // Requests and messages stay; only their content expires.
  return parent === 'request' || parent === 'message' ? schedule.startMs : keptFromMs(schedule);
}

/** How late a report may come after its block. So it may fall into the next week. */
const LATE_MS = 10_000;

function valuesOf({ filling, fromMs, untilMs }: Week, schedule: Schedule): unknown[] {
  return [
    firstBlockFrom(schedule, fromMs - LATE_MS),
    firstBlockFrom(schedule, untilMs),
    new Date(fromMs),
    new Date(untilMs),
    new Date(filling.keptFromMs(schedule)),
  ];
}

async function connect(connection: Connection): Promise<Client> {
  const client = new Client(connectionOptions(connection));
  await client.connect();
  await client.query("set maintenance_work_mem = '256MB'; set work_mem = '64MB'; set synchronous_commit = off");
  return client;
}

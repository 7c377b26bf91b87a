import { lockAccount } from '../accounts/store.ts';
import type { SendingChannel } from '../channels/channels.ts';
import type { EventDraft } from '../events/event.ts';
import { appendEvents } from '../events/store.ts';
import { newId } from '../kernel/ids.ts';
import type { Mode } from '../kernel/principal.ts';
import type { Provider, ProviderTemplate, TemplatesOutcome } from '../provider/port.ts';
import type { Database, Transaction } from '../store/database.ts';
import { repeatOnConflict } from '../store/repeat-on-conflict.ts';
import { presentTemplate } from './present.ts';
import { missesKnown, removeMissingTemplates, type TemplateOwner, type TemplateRow, upsertTemplates } from './store.ts';
import { holdSync, noteBegun, noteFailed, noteSynced, readDatabaseTime } from './sync-store.ts';

/**
 * So many business accounts are read at a time, by the schedule of a node and for one caller. The provider limits such calls for each of
 * them; with this a node reads nine thousand an hour if the provider takes two seconds for one.
 */
export const READ_AT_A_TIME = 5;

/** What a reading has changed. */
export interface SyncCounts {
  added: number;
  changed: number;
  removed: number;
  total: number;
}

/** What a reading needs. */
export interface ReadingDeps {
  database: Database;
  provider: Provider;
  /** Called when the provider refused the channel's access token itself. */
  suspend(channel: SendingChannel): Promise<void>;
}

/** What the provider has listed, of all names or of one, and the database's time when it was asked. */
export interface Reading {
  listed: readonly ProviderTemplate[];
  name: string | undefined;
  begunAt: string;
}

/**
 * Reads all templates of a channel's business account from the provider, and keeps what it lists, except where something
 * newer was learned meanwhile. Nothing is changed unless every page was read and the account is still there: undefined then.
 */
export async function syncTemplates(deps: ReadingDeps, channel: SendingChannel): Promise<SyncCounts | undefined> {
  const { database, suspend } = deps;
  const owner = ownerOf(channel);
  const begunAt = await whileThere(database, owner.accountId, (tx) => noteBegun(tx, owner));
  if (begunAt === undefined) return undefined;
  const outcome = await listAll(deps, channel, begunAt);
  if (outcome.kind === 'unavailable') {
    await noteFailed(database, owner, begunAt);
    if (outcome.accessRefused) await suspend(channel);
    return undefined;
  }
  return keepReading(database, owner, { listed: outcome.templates, name: undefined, begunAt });
}

/**
 * A page begins at a place of the list. A template that is deleted while the pages are read moves all behind it, and one of these stands on no
 * page. So if a known one is missing, the pages are read once more: gone is what neither reading has.
 */
async function listAll(
  { database, provider }: ReadingDeps,
  channel: SendingChannel,
  begunAt: string,
): Promise<TemplatesOutcome> {
  const list = () => provider.listTemplates(channel.sender, channel.businessAccountId, undefined);
  const first = await list();
  if (first.kind === 'unavailable') return first;
  if (!(await missesKnown(database, ownerOf(channel), first.templates, begunAt))) return first;
  const second = await list();
  if (second.kind === 'unavailable') return second;
  const seen = new Set(second.templates.map(keyOf));
  return { kind: 'found', templates: [...second.templates, ...first.templates.filter((one) => !seen.has(keyOf(one)))] };
}

/** Reads the templates of one name. undefined: the provider could not be asked. */
export async function readName(
  { database, provider, suspend }: ReadingDeps,
  channel: SendingChannel,
  name: string,
): Promise<Reading | undefined> {
  const begunAt = await readDatabaseTime(database);
  const outcome = await provider.listTemplates(channel.sender, channel.businessAccountId, name);
  if (outcome.kind === 'found') return { listed: outcome.templates, name, begunAt };
  if (outcome.accessRefused) await suspend(channel);
  return undefined;
}

/**
 * So many templates are kept in one transaction, and so many removed. Each that has changed is an event, with a delivery to each of the
 * account's endpoints, and until the commit everybody else who records an event of the account waits: the processor too, and with
 * it the statuses of all accounts. 6,000 events for 50 endpoints in one transaction took 2.6 s.
 */
const KEPT_AT_ONCE = 200;

/**
 * Keeps a reading for an account that has the business account, a part of it at a time; undefined: the account was deleted. If it ends
 * midway, what is kept was told, and the next reading finds the rest as different as this one did.
 */
export async function keepReading(
  database: Database,
  owner: TemplateOwner,
  reading: Reading,
): Promise<SyncCounts | undefined> {
  const listed = distinctOf(reading.listed).map((template) => ({ ...template, newId: newId() }));
  const counts = { added: 0, changed: 0, removed: 0, total: listed.length };
  for (let isDone = false; !isDone; ) {
    const kept = await whileThere(database, owner.accountId, (tx) => keepPart(tx, owner, listed, reading));
    if (kept === undefined) return undefined;
    counts.added += kept.added;
    counts.changed += kept.changed;
    counts.removed += kept.removed;
    ({ isDone } = kept);
  }
  return counts;
}

/**
 * Runs a transaction on an account that cannot be deleted until its end; undefined if it was deleted before, which may happen while the
 * provider lists for minutes. It is repeated after a conflict: a notification changes templates in the order in which it tells of them,
 * so that it may wait for this transaction while this one waits for it.
 */
function whileThere<T>(
  database: Database,
  accountId: string,
  work: (tx: Transaction) => Promise<T>,
): Promise<T | undefined> {
  const run = async (tx: Transaction) => ((await lockAccount(tx, accountId)) === undefined ? undefined : work(tx));
  return repeatOnConflict(() => database.transaction(run));
}

export function ownerOf({ accountId, sender, businessAccountId }: SendingChannel): TemplateOwner {
  return { accountId, mode: sender.mode, businessAccountId };
}

/** The same as a text, for what a node remembers of it. */
export function ownerKeyOf({ accountId, sender, businessAccountId }: SendingChannel): string {
  return `${accountId} ${sender.mode} ${businessAccountId}`;
}

/** Writes what differs from what is listed, as much as fits, and then removes what is not listed. Where that was all, the reading is done. */
async function keepPart(
  tx: Transaction,
  owner: TemplateOwner,
  listed: readonly (ProviderTemplate & { newId: string })[],
  { name, begunAt }: Reading,
) {
  await holdSync(tx, owner);
  const limits = { begunAt, limit: KEPT_AT_ONCE };
  const written = await upsertTemplates(tx, owner, listed, limits);
  // What was to be written may have become newer at the last moment, so their number does not tell whether there are more.
  const areWritten = written.length === 0 || listed.length <= KEPT_AT_ONCE;
  const removed = areWritten ? await removeMissingTemplates(tx, owner, listed, { name: name ?? null, ...limits }) : [];
  const isDone = areWritten && removed.length < KEPT_AT_ONCE;
  if (isDone && name === undefined) await noteSynced(tx, owner, begunAt);
  const changed = written.filter(({ added, has_changed }) => !added && has_changed);
  // A notification may have told it already.
  const gone = removed.filter(({ status }) => status !== 'deleted').map((row) => ({ ...row, status: 'deleted' }));
  await appendEvents(tx, draftTemplateEvents(owner.accountId, owner.mode, [...changed, ...gone]));
  return {
    added: written.filter(({ added }) => added).length,
    changed: changed.length,
    removed: removed.length,
    isDone,
  };
}

/**
 * One of each name and language. Where the provider lists two, such as one that is being deleted beside the one that has taken
 * its place, it is the approved one that a send gets.
 */
function distinctOf(listed: readonly ProviderTemplate[]): ProviderTemplate[] {
  const distinct = new Map<string, ProviderTemplate>();
  for (const template of listed) {
    const key = keyOf(template);
    if (distinct.get(key)?.status !== 'approved') distinct.set(key, template);
  }
  return [...distinct.values()];
}

const keyOf = ({ name, language }: ProviderTemplate) => `${name} ${language}`;

/** Tells of templates that have changed. One that is new has not, and must not be among them. */
export function draftTemplateEvents(accountId: string, mode: Mode, rows: readonly TemplateRow[]): EventDraft[] {
  return rows.map((row) => ({
    accountId,
    mode,
    type: 'template.updated',
    data: { template: presentTemplate(row) },
    traceparent: null,
  }));
}

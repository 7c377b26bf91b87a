import type { SendingChannel } from '../channels/channels.ts';
import type { SteadyClock } from '../kernel/clock.ts';
import type { MessageError } from '../kernel/message-errors.ts';
import { createRemembered } from '../kernel/remember.ts';
import type { Database } from '../store/database.ts';
import { createMisses, type Miss } from './misses.ts';
import { findTemplatesByName, type TemplateRow } from './store.ts';
import { ownerKeyOf, ownerOf, type ReadingDeps } from './sync.ts';
import { listSynced } from './sync-store.ts';
import { createSyncs, type Syncs } from './syncs.ts';

/** What the store says of a name is believed for so long; a change that another node has stored is seen after it. */
const BELIEVED_MS = 1_500;
/** What is in use is read again this long before, so that no send waits for it. */
const AHEAD_MS = 500;
const REMEMBERED_MAX = 10_000;

const NOT_THERE = "The channel's business account has no template of this name";
/** What a name is made of. https://developers.facebook.com/docs/whatsapp/business-management-api/message-templates */
const NAME = /^[a-z0-9_]+$/;
const NOT_A_NAME = ': names have lower-case letters, digits and underscores only';

/** An approved template, or why a message with it is not even transmitted. */
export type TemplateLookup = { kind: 'approved'; template: TemplateRow } | { kind: 'refused'; error: MessageError };

export interface TemplateRegistry extends Syncs {
  /** Looks a template up; one that is not known or not approved is asked of the provider first. */
  lookUp(channel: SendingChannel, name: string, language: string): Promise<TemplateLookup>;
  /** To be told when this node has stored something new of templates in another way: the next look-up asks the store. */
  forget(): void;
}

interface Deps extends ReadingDeps {
  clock: SteadyClock;
}

export function createTemplateRegistry(deps: Deps): TemplateRegistry {
  const { database, clock } = deps;
  const known = createRemembered({
    load: (_key, { channel, name }: Miss) => findTemplatesByName(database, ownerOf(channel), name),
    believedMs: BELIEVED_MS,
    aheadMs: AHEAD_MS,
    entriesMax: REMEMBERED_MAX,
    clock,
  });
  // What is missing is believed for as long as what is there, unless a reading of it was kept meanwhile.
  const ask = createMisses({ ...deps, onKept: (miss) => known.forget(keyOfMiss(miss)) });

  async function lookUp(channel: SendingChannel, name: string, language: string): Promise<TemplateLookup> {
    const miss = { channel, name };
    const key = keyOfMiss(miss);
    const hit = (await known.get(key, miss)).find((row) => row.language === language);
    if (hit?.status === 'approved') return { kind: 'approved', template: hit };
    const answered = await ask(miss);
    const rows = await known.get(key, miss);
    const unread = !answered && rows.length === 0 && !(await wasSynced(database, channel));
    return unread ? NOT_READ : judge(rows, { name, language });
  }

  return { ...createSyncs(deps, known.forgetAll), lookUp, forget: known.forgetAll };
}

async function wasSynced(database: Database, channel: SendingChannel): Promise<boolean> {
  const { businessAccountId } = channel;
  return (await listSynced(database, ownerOf(channel), [businessAccountId])).has(businessAccountId);
}

const NOT_READ: TemplateLookup = {
  kind: 'refused',
  error: { code: 'provider_unavailable', detail: 'The provider could not be asked for the template' },
};

function keyOfMiss({ channel, name }: Miss): string {
  return `${ownerKeyOf(channel)} ${name}`;
}

function judge(rows: readonly TemplateRow[], { name, language }: { name: string; language: string }): TemplateLookup {
  const template = rows.find((row) => row.language === language);
  if (template?.status === 'approved') return { kind: 'approved', template };
  return { kind: 'refused', error: template === undefined ? notFound(rows, name) : notApproved(template.status) };
}

function notFound(rows: readonly TemplateRow[], name: string): MessageError {
  // Another business account of the same account may have it, and then the list of templates shows it.
  if (rows.length === 0)
    return { code: 'template_not_found', detail: `${NOT_THERE}${NAME.test(name) ? '' : NOT_A_NAME}` };
  const languages = rows.map((row) => row.language).join(', ');
  return {
    code: 'template_not_found',
    detail: `The template does not exist in this language; it exists in ${languages}`,
  };
}

function notApproved(status: string): MessageError {
  if (status === 'paused') return { code: 'template_paused' };
  if (status === 'disabled') return { code: 'template_disabled' };
  return { code: 'template_not_approved', detail: `The template is not approved: it is ${status}` };
}

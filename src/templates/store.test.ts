import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { until } from '../../test/support/until.ts';
import { countWaitingForLocks } from '../../test/support/waiting-for-locks.ts';
import { newId } from '../kernel/ids.ts';
import type { ProviderTemplate } from '../provider/port.ts';
import {
  applyTemplateNews,
  findTemplate,
  findTemplatesByName,
  listTemplateRows,
  removeMissingTemplates,
  type TemplateOwner,
  upsertTemplates,
} from './store.ts';
import { readDatabaseTime } from './sync-store.ts';

const { database, drop } = await createTestDatabase();
after(drop);

const BUSINESS = '2';
const NO_NEWS = { status: null, category: null, quality: null };
let own: TemplateOwner;
/** Each differs from `own` in one thing. */
let others: TemplateOwner[];
beforeEach(async () => {
  const [accountId, otherId] = [newId(), newId()];
  await database.query("insert into account (id, name) select id, 'Test' from unnest($1::uuid[]) as id", [
    [accountId, otherId],
  ]);
  own = { accountId, mode: 'live', businessAccountId: BUSINESS };
  others = [
    { ...own, accountId: otherId },
    { ...own, mode: 'test' },
    { ...own, businessAccountId: '3' },
  ];
  for (const owner of [own, ...others]) await keep(owner, template());
});

describe('the templates of a business account, as one account has them in one mode', () => {
  it('are found by their name, in the order of their languages, and no others', async () => {
    for (const one of [{ language: 'fr' }, { language: 'de' }, { name: 'another' }]) await keep(own, template(one));
    const rows = await findTemplatesByName(database, own, 'order');
    assert.deepEqual(
      rows.map(({ language }) => language),
      ['de', 'en_US', 'fr'],
    );
  });

  it('are found by their id in their account and mode alone', async () => {
    const id = await idOf(own);
    assert.equal((await findTemplate(database, own, id))?.id, id);
    for (const owner of others.slice(0, 2)) assert.equal(await findTemplate(database, owner, id), undefined);
  });

  it('are listed newest first, page by page, and no others', async () => {
    await keep(own, template({ language: 'de' }));
    await keep(own, template({ language: 'fr' }));
    const rows = await list({});
    assert.deepEqual(
      rows.map(({ language }) => language),
      ['fr', 'de', 'en_US'],
    );
    const before = rows[0]?.id ?? null;
    assert.deepEqual(await list({ before }), rows.slice(1));
  });

  it('are listed by each filter', async () => {
    await keep(own, template({ name: 'another', language: 'de', status: 'paused' }));
    for (const filter of [{ name: 'another' }, { language: 'de' }, { status: 'paused' }])
      assert.deepEqual(
        (await list(filter)).map(({ name }) => name),
        ['another'],
        JSON.stringify(filter),
      );
  });

  it('are added whatever others have, and changed without changing what others have', async () => {
    const changed = template({ status: 'paused' });
    for (const owner of [{ ...own, businessAccountId: '4' }, own]) {
      const [row] = await keep(owner, changed);
      assert.equal(row?.status, 'paused');
      assert.equal(row?.added, owner !== own);
      assert.equal((await keep(owner, changed)).length, 0, 'as it was');
    }
    assert.deepEqual(await statusesOf(others), ['approved', 'approved', 'approved']);
  });

  it('are changed by whatever the provider lists otherwise', async () => {
    let listed = template();
    for (const otherwise of OTHERWISE) {
      listed = { ...listed, ...otherwise };
      const [row] = await keep(own, listed);
      assert.equal(row?.added, false, JSON.stringify(otherwise));
      const [stored] = await database.query<object>(
        `select provider_template_id as id, name, language, status, category, parameter_format as "parameterFormat", components,
           quality
         from template where account_id = $1 and mode = 'live' and business_account_id = $2`,
        [own.accountId, BUSINESS],
      );
      assert.deepEqual({ ...stored }, listed);
    }
  });

  it('are as the reading says that began later, whichever is kept first', async () => {
    const [earlier, later] = [await limits(), await limits()];
    await keep(own, template({ status: 'paused' }), earlier);
    await keep(own, template({ status: 'disabled' }), later);
    await keep(own, template({ status: 'rejected' }), earlier);
    assert.deepEqual(await statusesOf([own]), ['disabled']);
  });

  it('are left as news says that comes to be known while a reading is kept', async () => {
    const reading = await limits();
    const keeping = await database.transaction(async (tx) => {
      await applyTemplateNews(tx, { ...own, ...NO_NEWS, name: 'order', language: null, status: 'paused' });
      const kept = keep(own, template({ category: 'marketing' }), reading);
      await until(async () => (await countWaitingForLocks(database)) > 0);
      return { kept };
    });
    assert.deepEqual(await keeping.kept, []);
    assert.deepEqual(await statusesOf([own]), ['paused']);
  });

  it('are removed where the provider lists them no more, in each language, and no others', async () => {
    for (const one of [{ language: 'de' }, { name: 'another' }]) await keep(own, template(one));
    const gone = await removeMissing([template({ language: 'de' })], 'order');
    assert.deepEqual(
      gone.map(({ name, language }) => `${name} ${language}`),
      ['order en_US'],
    );
    assert.equal((await removeMissing([], null)).length, 2);
    assert.deepEqual(await statusesOf(others), ['approved', 'approved', 'approved']);
  });

  it('are changed by news of them, in the language that these name, and no others', async () => {
    await keep(own, template({ language: 'de', quality: 'green' }));
    const news = { ...own, ...NO_NEWS, name: 'order', language: 'de' };
    const [told] = await applyTemplateNews(database, { ...news, status: 'paused' });
    assert.deepEqual([told?.status, told?.category, told?.quality], ['paused', 'utility', 'green']);
    assert.deepEqual(await applyTemplateNews(database, { ...news, status: 'paused' }), [], 'no news any more');
    assert.deepEqual(await statusesOf([own]), ['paused', 'approved']);
    assert.equal((await applyTemplateNews(database, { ...news, language: null, category: 'marketing' })).length, 2);
    assert.deepEqual(await statusesOf(others), ['approved', 'approved', 'approved']);
    assert.equal((await list({})).length, 2);
  });
});

/** What becomes different, one after the other. */
const OTHERWISE: Partial<ProviderTemplate>[] = [
  { id: '112' },
  { status: 'paused' },
  { category: 'marketing' },
  { parameterFormat: 'named' },
  { components: [{ type: 'BODY', text: 'Hello' }] },
  { quality: 'green' },
  { quality: null },
];

function template(more: Partial<ProviderTemplate> = {}): ProviderTemplate {
  const words = { name: 'order', language: 'en_US', status: 'approved', category: 'utility' };
  return { id: '111', ...words, parameterFormat: 'positional', components: [], quality: null, ...more };
}

type Reading = Awaited<ReturnType<typeof limits>>;
const limits = async () => ({ begunAt: await readDatabaseTime(database), limit: 100 });

async function keep(owner: TemplateOwner, listed: ProviderTemplate, reading?: Reading) {
  return upsertTemplates(database, owner, [{ ...listed, newId: newId() }], reading ?? (await limits()));
}

async function removeMissing(kept: ProviderTemplate[], name: string | null) {
  return removeMissingTemplates(database, own, kept, { name, ...(await limits()) });
}

function list(filter: { name?: string; language?: string; status?: string; before?: string | null }) {
  const nothing = { name: null, language: null, status: null, before: null };
  return listTemplateRows(database, own, { businessAccountIds: [BUSINESS], ...nothing, ...filter }, 10);
}

async function idOf(owner: TemplateOwner): Promise<string> {
  return (await findTemplatesByName(database, owner, 'order'))[0]?.id ?? '';
}

async function statusesOf(owners: readonly TemplateOwner[]): Promise<string[]> {
  const found = [];
  for (const owner of owners) found.push(...(await findTemplatesByName(database, owner, 'order')));
  return found.map(({ status }) => status);
}

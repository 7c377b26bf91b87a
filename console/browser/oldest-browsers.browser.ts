import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { accountPages, operatorPages } from './support/pages.ts';
import { type Seeded, seed } from './support/seed.ts';
import { sharedWorld } from './support/shared-world.ts';
import { signIn } from './support/sign-in.ts';
import type { World } from './support/world.ts';

/**
 * What the browser of the tests has, and one of those lacks that `target` in `vite.config.ts` names. The build makes new syntax older and adds
 * nothing that is missing, and the compiler takes everything for there. The versions are those of https://developer.mozilla.org.
 */
const LACKED = [
  ...[
    'URL.parse',
    'Promise.try',
    'RegExp.escape',
    'Error.isError',
    'Math.sumPrecise',
    'Intl.Segmenter',
    'Intl.DurationFormat',
  ],
  ...['map', 'filter', 'take', 'drop', 'flatMap', 'reduce', 'toArray', 'forEach', 'some', 'every', 'find'].map(
    (name) => `Iterator.prototype.${name}`,
  ),
  ...['union', 'intersection', 'difference', 'symmetricDifference', 'isSubsetOf', 'isSupersetOf', 'isDisjointFrom'].map(
    (name) => `Set.prototype.${name}`,
  ),
  ...['Map.prototype.getOrInsert', 'Uint8Array.fromBase64', 'Uint8Array.prototype.toBase64'],
  ...[
    'Document.prototype.startViewTransition',
    'HTMLDialogElement.prototype.requestClose',
    'Element.prototype.moveBefore',
  ],
  ...['window.requestIdleCallback', 'window.scheduler', 'window.navigation', 'window.CloseWatcher'],
];

describe('the console in the oldest browsers that it is built for', () => {
  let world: World;
  let seeded: Seeded;
  let page: Page;
  before(async () => {
    world = await sharedWorld();
    seeded = await seed(world);
    page = await world.open();
    await page.addInitScript(forget, LACKED);
    await page.reload();
    assert.equal(await page.evaluate(() => 'parse' in URL), false);
  });

  it("shows each of an account's pages", async () => {
    await signIn(page, seeded.key);
    await page.getByText('Live', { exact: true }).waitFor();
    for (const [path, shown] of accountPages(seeded)) await visit(path, shown);
    await visit(`messages/${seeded.readId}`, '.events > li');
  });

  it("shows each of the operator's pages", async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, world.gateway.dev.platform_key);
    for (const [path, shown] of operatorPages(seeded)) await visit(path, shown);
  });

  it('complained of nothing', () => assert.deepEqual(world.complaints, []));

  async function visit(path: string, shown: string): Promise<void> {
    await page.goto(`${world.gateway.dev.console_url}#/${path}`);
    await page.locator(shown).first().waitFor();
  }
});

/** Runs in the page. */
function forget(names: readonly string[]): void {
  for (const name of names) {
    const path = name.split('.');
    const last = path.pop() ?? '';
    const owner: unknown = path.reduce((of: unknown, part) => Reflect.get(Object(of), part), window);
    Reflect.deleteProperty(Object(owner), last);
  }
  Reflect.deleteProperty(ReadableStream.prototype, Symbol.asyncIterator);
}

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong for people who use a keyboard, a screen reader or dark colours, with a line for each fault. */
export async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(await AXE);
  const found: AxeResults = await page.evaluate('axe.run(document)');
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ html, any, all }) => `${id}: ${help}: ${html.slice(0, 160)} ${[...any, ...all].map(({ message }) => message)}`,
    ),
  );
}

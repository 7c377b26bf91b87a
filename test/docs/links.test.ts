import assert from 'node:assert/strict';
import { dirname, join } from 'node:path/posix';
import { describe, it } from 'node:test';
import { readLinks, renderMarkdown } from '../../src/docs-site/markdown.ts';
import { glob, read } from '../support/tree.ts';
import { PAGES } from './blocks.ts';

/** Pages that the map need not link: the map itself, and those of which there are many, which a page of their own lists. */
const LISTED_ELSEWHERE = /^docs\/(README\.md$|errors\/|decisions\/)/;

/** The ways in which the tables of the pages write the path of a call. */
const NAMES = [
  (path: string) => path,
  (path: string) => path.replace('/platform/v1/', ''),
  (path: string) => path.replace('/api/v1/endpoints/', '.../'),
];

describe('the links in the pages', () => {
  it('lead to a file, and to a heading that is in it', () => {
    const wrong = PAGES.flatMap((page) =>
      readLinks(read(page))
        .filter(({ href }) => !/^[a-z]+:/.test(href) && !leadsSomewhere(page, href))
        .map(({ href }) => `${page} links to ${href}`),
    );
    assert.deepEqual(wrong, []);
  });

  it('reach every page from the map, which names none twice', () => {
    const linked = readLinks(read('docs/README.md')).map(({ href }) => join('docs', href));
    assert.equal(new Set(linked).size, linked.length);
    assert.deepEqual(
      PAGES.filter((page) => page.startsWith('docs/') && !LISTED_ELSEWHERE.test(page) && !linked.includes(page)),
      [],
    );
    for (const folder of ['docs/errors', 'docs/decisions']) {
      const listed = readLinks(read(`${folder}/README.md`)).map(({ href }) => join(folder, href));
      assert.deepEqual(
        glob(`${folder}/*.md`).filter((page) => !page.endsWith('/README.md') && !listed.includes(page)),
        [],
      );
    }
  });
});

describe('the headings of the pages', () => {
  it('are there once in a page, because a link by a name that is there twice leads to the first', () => {
    const twice = PAGES.flatMap((page) => {
      const titles = [...read(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, title]) => title);
      return titles.filter((title, place) => titles.indexOf(title) !== place).map((title) => `${page}: ${title}`);
    });
    assert.deepEqual(twice, []);
  });
});

describe('the decisions', () => {
  it('are listed by the titles of their pages', () => {
    const listed = [...read('docs/decisions/README.md').matchAll(/^\| \[(\d+)\]\(\S+\) \| (.+) \|$/gm)];
    assert.deepEqual(
      listed.map(([, number, title]) => `# ${number}: ${title}`),
      glob('docs/decisions/0*.md').map((page) => read(page).split('\n', 1)[0]),
    );
  });
});

describe('the pages', () => {
  it('tell of every call in the description of the API', () => {
    const { paths } = JSON.parse(read('docs/openapi.json'));
    const told = PAGES.filter((page) => !/^docs\/(errors|decisions)\//.test(page))
      .map(read)
      .join('\n');
    assert.deepEqual(
      Object.keys(paths).filter((path) => !NAMES.some((nameOf) => told.includes(nameOf(path)))),
      [],
    );
  });
});

function leadsSomewhere(page: string, href: string): boolean {
  const [path = '', anchor] = href.split('#', 2);
  const file = path === '' ? page : join(dirname(page), path);
  if (glob(file).length === 0) return false;
  return anchor === undefined || renderMarkdown(read(file), () => '').headings.some((one) => one.anchor === anchor);
}

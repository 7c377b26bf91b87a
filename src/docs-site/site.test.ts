import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDocsSite } from './site.ts';

const PAGES = Object.entries({
  'README.md': '# Map\n\n## Begin\n\n- [Start](start.md)\n- [Deep](folder/deep.md#there)\n- [Source](../src/main.ts)\n',
  'start.md':
    '# Start <b>here</b>\n\n## Twice\n\n## Twice\n\n[up](README.md) <img src=x onerror="alert(1)"> [odd](javascript:alert)\n',
  'table.md': '# Table\n\n| | from |\n|---|---|\n| a | b |\n',
  'folder/README.md': '# Folder\n',
  'folder/deep.md':
    '# Deep\n\n## There\n\n[start](../start.md), [folder](README.md), [map](../README.md), [code](../../src/main.ts)\n',
}).map(([file, markdown]) => ({
  file,
  source: `docs/${file}`,
  name: file.replace(/\/?README\.md$|\.md$/, ''),
  markdown,
}));

const site = createDocsSite(PAGES);
const html = (wanted: string) => {
  const page = PAGES.find(({ name }) => name === wanted);
  assert.ok(page);
  return site(page);
};

describe('a served page', () => {
  it('shows HTML of its Markdown as text, and follows no link to a script', () => {
    assert.match(html('start'), /<h1 id="start-bhereb">Start &lt;b&gt;here&lt;\/b&gt;<\/h1>/);
    assert.match(html('start'), /&lt;img src=x onerror=/);
    assert.doesNotMatch(html('start'), /<img|href="javascript:/);
  });

  it('gives each heading an anchor of its own', () => {
    assert.match(html('start'), /<h2 id="twice">[\s\S]*<h2 id="twice-1">/);
  });

  it('heads the columns of a table that have a head', () => {
    assert.match(html('table'), /<td><\/td>\s*<th>from<\/th>/);
  });

  it('turns the paths of files into addresses relative to its own', () => {
    const hrefs = [...html('folder/deep').matchAll(/<a href="([^"]+)">(start|folder|map)</g)].map(([, href]) => href);
    assert.deepEqual(hrefs, ['../start', '../folder', '../../docs']);
    assert.match(html(''), /<a href="docs\/folder\/deep#there">/);
  });

  it('keeps the text of a link to what is not served', () => {
    assert.match(html('folder/deep'), /<span title="In the source: ..\/..\/src\/main.ts">code<\/span>/);
  });

  it("has the map's links as its navigation, with itself marked", () => {
    const [, navigation = ''] = /<nav[\s\S]*?>([\s\S]*)<\/nav>/.exec(html('start')) ?? [];
    assert.match(navigation, /<h2>Begin<\/h2>/);
    assert.match(navigation, /<a href="start" aria-current="page">Start<\/a>\s*<ul><li><a href="#twice">/);
    assert.doesNotMatch(navigation, /Source/);
  });
});

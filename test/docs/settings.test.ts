import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SECRET_NAMES, SETTINGS, SETTINGS_OF_OTHERS } from '../../src/settings.ts';
import { glob, read } from '../support/tree.ts';
import { PAGES } from './blocks.ts';

/** Without the pages that tell of what was before. */
const PAGES_OF_NOW = PAGES.filter((page) => !/^(CHANGELOG\.md$|docs\/decisions\/)/.test(page));
const FILES = [...PAGES_OF_NOW, ...glob('{client/README.md,ops/*,compose.yaml,Dockerfile}')];
const KNOWN: readonly string[] = [...SETTINGS.map(({ name }) => name), ...SECRET_NAMES, ...SETTINGS_OF_OTHERS];
const NAME = /\b(?:WAYPOST|OTEL)_[A-Z_]*[A-Z]\b/g;

/** How a page tells the default of a setting: in a row of a table, or beside its name, also in seconds. */
const TOLD = [
  /^\|[^|]*\| (?<value>[\d,]+) \| `(?<name>[A-Z_]+)` \|/gm,
  /^\| `(?<name>[A-Z_]+)` \| (?<value>[\d,]+)(?:;| \|)/gm,
  /(?<value>\d[\d,]*)(?<seconds> s)? \(`(?<name>[A-Z_]+)`/g,
  /`(?<name>[A-Z_]+)` \((?<value>\d[\d,]*)(?<seconds> s)?[,)]/g,
];

describe('the settings in the pages', () => {
  it('are settings', () => {
    const named = FILES.flatMap((path) => [...read(path).matchAll(NAME)].map(([name]) => ({ path, name })));
    assert.ok(named.length > 100, `${named.length} were found`);
    assert.deepEqual(
      named.filter(({ name }) => !KNOWN.includes(name) && !name.startsWith('WAYPOST_TEST_')),
      [],
    );
  });

  it('have the default that is told', () => {
    const numbers = SETTINGS.flatMap((setting) =>
      'default' in setting && /^\d+$/.test(setting.default) ? [[setting.name, Number(setting.default)] as const] : [],
    );
    const defaults = new Map<string, number>(numbers);
    const told = PAGES_OF_NOW.flatMap((page) => defaultsTold(page)).filter(({ name }) => defaults.has(name));
    assert.ok(told.length > 10, `${told.length} were found`);
    assert.deepEqual(
      told.filter(({ name, value }) => defaults.get(name) !== value),
      [],
    );
  });
});

function defaultsTold(page: string): { page: string; name: string; value: number }[] {
  const text = read(page);
  return TOLD.flatMap((pattern) => [...text.matchAll(pattern)]).map(({ groups = {} }) => {
    const { name = '', value = '', seconds } = groups;
    return { page, name, value: Number(value.replaceAll(',', '')) * (seconds === undefined ? 1 : 1_000) };
  });
}

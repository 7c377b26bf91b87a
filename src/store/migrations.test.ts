import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';

const DIR = new URL('migrations/', import.meta.url);
/**
 * What takes something away that the version before uses, or asks of its writes what it does not know. An index may go: no
 * statement names one, and those that keep rows unique are made by constraints. A check may go too, which PostgreSQL names so: it
 * only ever refuses.
 */
const CONTRACTING = [
  /\bdrop\s+(table|column|type|function|view|default)\b/i,
  /\bdrop\s+constraint\s+(?!\w+_check\b)/i,
  /\brename\b/i,
  /\balter\s+column\s+\w+\s+(set\s+not\s+null|(set\s+data\s+)?type)\b/i,
  /\badd\s+column\s+(?:(?!\bdefault\b)[^;,])*\bnot\s+null\b(?:(?!\bdefault\b)[^;,])*[;,]/i,
  /\badd\s+(constraint|check|unique|foreign)\b/i,
];

function contracts(sql: string): boolean {
  const plain = sql.replace(/--.*$/gm, '').replace(/'[^']*'/g, "''");
  return CONTRACTING.some((pattern) => pattern.test(plain));
}

describe('the migrations', () => {
  it('are safe for the version before them, or say in their first line that they are breaking', async () => {
    for (const file of (await readdir(DIR)).sort()) {
      const sql = await readFile(new URL(file, DIR), 'utf8');
      assert.ok(sql.startsWith('-- breaking\n') || !contracts(sql), `${file} takes something away and is not marked`);
    }
  });

  it('are seen through by this test', () => {
    for (const sql of [
      'drop table request;',
      'alter table message drop column held;',
      'alter table message rename column held to paced;',
      'alter table message drop constraint message_pkey;',
      'alter table message alter column phone set not null;',
      'alter table message add column size integer not null;',
      'alter table message add constraint some_size check (held);',
    ])
      assert.ok(contracts(sql), sql);
    for (const sql of [
      'alter table message add column size integer;',
      'alter table event_sequence add column expired bigint not null default 0;',
      'alter table request drop constraint request_type_check;',
      'create table small (id uuid not null);',
      "create index some on message (id) where type = 'drop table';",
      '-- drop table request;',
    ])
      assert.ok(!contracts(sql), sql);
  });
});

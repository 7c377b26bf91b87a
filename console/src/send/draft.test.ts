import assert from 'node:assert/strict';
import { it } from 'node:test';
import { composeSend, type Draft } from './draft.ts';

const DRAFT: Draft = {
  ...{ to: '', from: '', reference: '', type: 'text', body: 'Hello', linkPreview: false, templateId: '', values: {} },
};

it('what was pasted from a spreadsheet is parted at its cells, so that no two make one number', () => {
  const composed = composeSend({ ...DRAFT, to: '+447700900123\t42\n+447700900124\t\n' }, undefined);
  assert.equal(JSON.parse(composed?.json ?? '').to, '+447700900123\n42\n+447700900124\n\n');
});

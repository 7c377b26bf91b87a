import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { layOut } from './table.ts';

/** A terminal with so many columns. */
const terminal = (columns: number) => Object.assign(new PassThrough(), { isTTY: true, columns });

const ROWS = [{ id: 'msg_01m7x79nvbes', status: 'accepted' }];
const COLUMNS = { ID: 'id', STATUS: 'status' };

describe('a table', () => {
  it('is cut to the width of its terminal', () => {
    const [, line = ''] = layOut(ROWS, COLUMNS, terminal(12));
    assert.equal(line, 'msg_01m7x79…');
  });

  it('is whole where the terminal does not say how wide it is, as in a container', () => {
    const [, line = ''] = layOut(ROWS, COLUMNS, terminal(0));
    assert.match(line, /^msg_01m7x79nvbes {2}.*accepted/);
  });

  it('shows a name as it is that every object has, as a template may be called', () => {
    const [, line] = layOut([{ name: 'constructor', status: 'approved' }], { NAME: 'name' }, new PassThrough());
    assert.equal(line, 'constructor');
  });
});

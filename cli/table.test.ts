import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import stringWidth from 'string-width';
import { createProgress } from './bulk/progress.ts';
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

  it('is aligned and cut by what letters take in a terminal, in Japanese and with emoji and accents too', () => {
    const rows = ['Cafe\u0301', '小包が届きました', '👩‍👩‍👧 🇩🇪'].map((name) => ({ name, status: 'approved' }));
    const columns = { NAME: 'name', STATUS: 'status' };
    const [title = '', ...lines] = layOut(rows, columns, new PassThrough());
    const before = (line: string) => stringWidth(line.slice(0, line.search(/STATUS|approved/)));
    assert.deepEqual(lines.map(before), [18, 18, 18]);
    assert.equal(before(title), 18);
    for (const line of layOut(rows, columns, terminal(10)).slice(2)) assert.ok(stringWidth(line) <= 10, line);
  });

  it('colours what is a status by itself, and no word within a text', () => {
    const rows = [{ detail: 'It was not delivered', status: 'failed' }];
    const columns = { DETAIL: 'detail', STATUS: 'status' };
    const [title, line] = layOut(rows, columns, terminal(80));
    assert.equal(title, '\u001b[1mDETAIL                STATUS\u001b[22m');
    assert.equal(line, 'It was not delivered  \u001b[31mfailed\u001b[39m');
    const also = layOut([{ detail: 'It has failed', status: 'failed' }], columns, terminal(80));
    assert.equal(also[1], 'It has failed  \u001b[31mfailed\u001b[39m');
  });

  it('shows a name as it is that every object has, as a template may be called', () => {
    const [, line] = layOut([{ name: 'constructor', status: 'approved' }], { NAME: 'name' }, new PassThrough());
    assert.equal(line, 'constructor');
  });
});

describe('the bar of a send of a file', () => {
  it('is whole where the terminal does not say how wide it is, as in a container', () => {
    const stream = terminal(0);
    createProgress(10, 0, { accepted: 10, failed: 0, unknown: 0 }, stream).update();
    assert.match(String(stream.read()), /about 0 s left\u001b\[K$/);
  });
});

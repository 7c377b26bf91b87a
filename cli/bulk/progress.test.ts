import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { it } from 'node:test';
import { createProgress } from './progress.ts';

it('the bar of a send is gone at its end, and what was under way until then does not bring it back', () => {
  let shown = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      shown += chunk;
      done();
    },
  });
  const terminal = Object.assign(stream, { isTTY: true });
  const progress = createProgress(4, 0, { accepted: 1, failed: 0, unknown: 0 }, terminal);
  progress.waiting('waiting: the gateway answers 503');
  assert.match(shown, /^\r\[#{6} {18}\] 1\/4 {2}1 accepted.*\(waiting: the gateway answers 503\)\u001b\[K$/);
  progress.end();
  progress.waiting('waiting: the gateway does not answer');
  progress.update();
  assert.match(shown, /503\)\u001b\[K\r\u001b\[K$/);
});

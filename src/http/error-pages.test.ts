import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { API_ERRORS } from '../kernel/errors.ts';
import { MESSAGE_ERRORS } from '../kernel/message-errors.ts';
import { errorPages } from './error-pages.ts';

describe('the pages of errors', () => {
  it('are there for every code of both tables, and tell what to do', () => {
    const pages = errorPages();
    assert.deepEqual(
      [...pages.keys()].toSorted(),
      [...Object.keys(API_ERRORS), ...Object.keys(MESSAGE_ERRORS)].toSorted(),
    );
    for (const [code, text] of pages) {
      assert.ok(text.startsWith(`# ${code}\n`));
      assert.match(text, /\*\*What to do:\*\* .+\./);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutToken } from './without-token.ts';

const ACCEPTED = '{"messaging_product":"whatsapp","messages":[{"id":"wamid.HBgM"}]}';
const LONG = 'EAAGm0PX4ZCpsBAKZBexample0token';

describe('an answer without the access token', () => {
  it('is as readable as before, with whatever token the sandbox accepts', () => {
    for (const token of ['t', 'id', 'messages', 'whatsapp', 'wamid', 'error', '"', '\\', '{', ':', '0', 'code']) {
      assert.equal(withoutToken(ACCEPTED, token), ACCEPTED, token);
      const refused =
        '{"error":{"message":"a \\"quoted\\" text of t","code":100,"error_data":{"details":"0 \\u00e9"}}}';
      const body = JSON.parse(withoutToken(refused, token));
      assert.equal(body.error.code, 100, token);
      assert.ok(!body.error.message.replaceAll('[removed]', '').includes(token), token);
    }
  });

  it('repeats no token in the texts of an error, and a long one nowhere', () => {
    const refused = JSON.stringify({ error: { message: 'Bad token a-token.', code: 190 } });
    assert.equal(JSON.parse(withoutToken(refused, 'a-token')).error.message, 'Bad token [removed].');
    assert.ok(!withoutToken(JSON.stringify({ name: `of ${LONG}` }), LONG).includes(LONG));
    const escaped = '{"error":{"message":"Bad token a\\/token","code":190}}';
    assert.equal(JSON.parse(withoutToken(escaped, 'a/token')).error.message, 'Bad token [removed]');
    assert.ok(!withoutToken(`<html>${LONG}</html>`, LONG).includes(LONG));
  });
});

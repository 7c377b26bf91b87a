import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readProviderError } from './provider-error.ts';

/** Built from parts, so that no scanner takes it for a leaked one. */
const TOKEN = `EAAG${'m0PX4ZCpsBA'.repeat(6)}`;

describe('readProviderError', () => {
  it('reads the error of a notification, whose details are nested', () => {
    const error = {
      code: 131026,
      title: 'Message undeliverable',
      message: '(#131026) Message undeliverable',
      error_data: { details: 'Message Undeliverable.' },
      href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
    };
    assert.deepEqual(readProviderError(error), {
      code: 131026,
      title: 'Message undeliverable',
      details: 'Message Undeliverable.',
    });
  });

  it('reads details that are a plain string, or that stand beside the code', () => {
    assert.deepEqual(readProviderError({ error_data: 'No such object' }), { details: 'No such object' });
    assert.deepEqual(readProviderError({ details: 'No such object' }), { details: 'No such object' });
  });

  it('passes over an empty text where another one tells something', () => {
    const error = { title: '', message: 'Undeliverable', error_data: { details: ' ' }, error_user_msg: 'Ask again' };
    assert.deepEqual(readProviderError(error), { title: 'Undeliverable', details: 'Ask again' });
    assert.deepEqual(readProviderError({ title: null, error_user_title: 'No' }), { title: 'No' });
  });

  it('takes no number for a code that is not whole, or too large to be one', () => {
    for (const code of [131026.5, 1e300, Number.POSITIVE_INFINITY])
      assert.deepEqual(readProviderError({ code, title: 'Failed' }), { title: 'Failed' });
  });

  it('is undefined where nothing can be read', () => {
    for (const error of [undefined, null, 'no', 7, [], {}, { code: '7', message: 7, fbtrace_id: 'two words' }]) {
      assert.equal(readProviderError(error), undefined);
    }
  });

  it('takes out what could be a token, a phone number or a user id', () => {
    const private_: [string, string][] = [
      [`Malformed access token ${TOKEN}`, 'Malformed access token [removed]'],
      ['Sent with Authorization: Bearer short-token', 'Sent with Authorization: [removed]'],
      ['GET /x?access_token=abc&y=1 failed', 'GET /x?[removed] failed'],
      ['Recipient +447700900123 is not on the list', 'Recipient [removed] is not on the list'],
      ['Recipient 447700900123.', 'Recipient [removed].'],
      ['Recipient 2345678 of 234567', 'Recipient [removed] of 234567'],
      [`Hash ${'a1'.repeat(12)} of ${'a1'.repeat(11)}`, `Hash [removed] of ${'a1'.repeat(11)}`],
      ['Call +44 (7700) 900-123 now', 'Call [removed] now'],
      ["Object with ID '106540352242922' does not exist", "Object with ID '[removed]' does not exist"],
      ['User GB.ENT.11815799212886844830 is unknown', 'User [removed] is unknown'],
    ];
    for (const [message, expected] of private_) assert.equal(readProviderError({ message })?.title, expected);
  });

  it('leaves what helps to mend the message', () => {
    const helpful = [
      '(#2494100) Number in maintenance',
      '(#132001) Template name does not exist in the translation',
      'template name (order_update_for_marketing_2026_version_2) does not exist in en_US',
      'Error validating access token: Session has expired',
      'body: number of localizable_params (1) does not match the expected number of params (2)',
      'Param text must be at most 4096 characters long.',
    ];
    for (const message of helpful) assert.equal(readProviderError({ message })?.title, message);
  });

  it('is bounded and storable', () => {
    const title = readProviderError({ message: `a\u0000b\n\u0085\ud800 ${'long '.repeat(100_000)}` })?.title;
    assert.equal(title?.length, 300);
    assert.ok(title?.startsWith('a b \ufffd long'), title);
  });
});

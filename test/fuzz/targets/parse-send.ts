import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ApiError } from '../../../src/kernel/errors.ts';
import { parseSend } from '../../../src/messages/parse/parse-send.ts';
import { checkComponents } from '../../../src/provider/whatsapp/template/form/check-components.ts';
import { sendBody } from '../send-body.ts';
import type { FuzzTarget } from '../target.ts';

/** Tests the parser without HTTP, so that far more is tried. It must read a body, or throw an error of the table. */
export const parseSendTarget: FuzzTarget = {
  name: 'the parser of sends',
  property: () =>
    fc.property(fc.oneof(sendBody.map(parsed), fc.anything()), (body) => {
      try {
        const { recipients } = parseSend(body, checkComponents);
        assert.ok(recipients.length >= 1 && recipients.length <= 50);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        assert.ok(['invalid_request', 'too_many_recipients'].includes(error.code));
      }
    }),
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // Over HTTP, text that is not JSON never reaches the parser. Here it gets it as a string.
  }
}

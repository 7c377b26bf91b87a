import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Type } from 'typebox';
import { Compile } from 'typebox/schema';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { ApiError } from '../../kernel/errors.ts';
import { checkComponents } from '../../provider/whatsapp/template/form/check-components.ts';
import { CONTENT_TYPES, type ContentType } from '../message.ts';
import { parseSend } from './parse-send.ts';
import { sendSchemas } from './send-schema.ts';

const described = Compile(Type.Unsafe({ ...sendSchemas.SendBody, components: { schemas: sendSchemas } }));

/** Values that are mostly right, so that the parser takes many of the bodies made of them. */
const mostly = (right: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 30, arbitrary: right }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) });
const some = (members: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[]) =>
  mostly(fc.record(members, { requiredKeys }));

const number = fc.constantFrom('+447700900123', '0770', '+447700900123, +447700900124;', 'é');
const reference = mostly(fc.string({ unit: anyCharacter, minLength: 1, maxLength: 3 }));
const word = mostly(fc.constantFrom('body', 'BUTTON', 'header', 'other', 'carousel'));
const component = some({ type: word, sub_type: word, index: mostly(fc.nat({ max: 9 })) }, [
  'type',
  'sub_type',
  'index',
]);
const components = mostly(fc.array(component, { maxLength: 2 }));
const byNumber = some({ to: mostly(number), client_reference: reference, components }, ['to']);
const byUserId = some({ user_id: mostly(number), client_reference: reference }, ['user_id']);
const to = mostly(fc.oneof(number, fc.array(fc.oneof(mostly(number), byNumber, byUserId), { maxLength: 52 })));
const text = some({ body: mostly(fc.string({ minLength: 1 })), preview_url: mostly(fc.boolean()) }, ['body']);
const language = mostly(fc.constantFrom('de', { code: 'de' }));
const template = some({ name: mostly(fc.string({ minLength: 1 })), language, components }, ['name', 'language']);
const shared = { to, from: mostly(fc.string()), client_reference: reference };
const contents: Record<ContentType, fc.Arbitrary<unknown>> = { text, template };
const body = fc.oneof(
  ...CONTENT_TYPES.map((type) =>
    some({ ...shared, type: mostly(fc.constant(type)), [type]: contents[type] }, ['to', 'type', type]),
  ),
  some({ ...shared, type: mostly(fc.string()), ...contents, other: number }, ['to', 'type']),
);

describe('the description of a send', () => {
  it('fits whatever the parser takes', () => {
    let taken = 0;
    fc.assert(
      fc.property(body, (sent) => {
        if (!isTaken(sent)) return;
        taken += 1;
        assert.ok(described.Check(sent), JSON.stringify(described.Errors(sent)[1]));
      }),
      { numRuns: 1_500 },
    );
    assert.ok(taken > 100, `the parser took only ${taken}`);
  });

  it('refuses the mistakes that it can tell', () => {
    const send = { to: '+447700900123', type: 'text', text: { body: 'Hello' } };
    assert.ok(described.Check(send));
    for (const wrong of [{ text: {} }, { to: [] }, { type: 'image' }, { other: 1 }, { template: { name: 'n' } }])
      assert.ok(!described.Check({ ...send, ...wrong }), JSON.stringify(wrong));
  });
});

function isTaken(sent: unknown): boolean {
  try {
    parseSend(sent, checkComponents);
    return true;
  } catch (error) {
    // Only a refusal is no fault of the parser.
    if (error instanceof ApiError) return false;
    throw error;
  }
}

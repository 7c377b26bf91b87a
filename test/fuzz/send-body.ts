import fc from 'fast-check';
import { anyCharacter } from '../support/any-character.ts';

/** Values that are nearly those of a send, so that faults of every kind come together with good parts. */
const number = fc.oneof(
  fc.integer({ min: 0, max: 999 }).map((digits) => `+447700900${String(digits).padStart(3, '0')}`),
  fc.constantFrom('0770', '', '+15550131026', '+15552000004', ' +44 (0) 7700 900123', '+44 7700 900 123', '\u0000'),
  fc.string({ maxLength: 20 }),
);
const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 30 }),
  fc.constantFrom('Hello', '', '\ud800', '__proto__'),
);
const recipient = fc.oneof(
  { weight: 4, arbitrary: number },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
  {
    weight: 2,
    arbitrary: fc.record(
      { to: number, user_id: fc.constantFrom('GB.1', 'gb.1', 'US.ENT.x'), client_reference: text, extra: fc.nat() },
      { requiredKeys: [] },
    ),
  },
);
const component = fc.record(
  { type: fc.constantFrom('body', 'button', 'header', 'novel', 5), parameters: fc.jsonValue({ maxDepth: 3 }) },
  { requiredKeys: [] },
);
const send = fc.record(
  {
    to: fc.oneof(
      fc.array(recipient, { maxLength: 52 }),
      number,
      fc.array(number).map((list) => list.join(',')),
    ),
    type: fc.constantFrom('text', 'text', 'template', 'image'),
    text: fc.oneof(fc.record({ body: text, preview_url: fc.boolean() }, { requiredKeys: ['body'] }), fc.jsonValue()),
    template: fc.record(
      { name: text, language: fc.constantFrom('en_US', { code: 'de' }, 5), components: fc.array(component) },
      { requiredKeys: [] },
    ),
    client_reference: text,
    from: fc.constantFrom('chn_x', null),
  },
  { requiredKeys: ['to', 'type'] },
);
/** These bodies are mostly good: only their recipients are of every kind. */
const readable = fc.record({
  to: fc.array(fc.oneof(number, fc.record({ to: number })), { minLength: 1, maxLength: 50 }),
  type: fc.constant('text'),
  text: fc.constant({ body: 'Hello' }),
});
/** Bodies of sends: good ones, nearly good ones, and any others. */
export const sendBody = fc.oneof(
  send.map((value) => JSON.stringify(value)),
  readable.map((value) => JSON.stringify(value)),
  fc.json({ maxDepth: 6 }),
  fc.string({ unit: anyCharacter }),
  // Good JSON with one character changed.
  fc.tuple(readable, fc.nat(), fc.string({ unit: anyCharacter, maxLength: 2 })).map(([value, place, other]) => {
    const json = JSON.stringify(value);
    const at = place % json.length;
    return json.slice(0, at) + other + json.slice(at + 1);
  }),
);

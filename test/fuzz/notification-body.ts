import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { anyCharacter } from '../support/any-character.ts';
import type { TestLine } from '../support/notifications.ts';

const TESTDATA = new URL('../../src/provider/whatsapp/testdata/', import.meta.url);
const PAYLOADS: unknown[] = readdirSync(TESTDATA)
  .filter((name) => !name.endsWith('.expected.json'))
  .map((name) => JSON.parse(readFileSync(new URL(name, TESTDATA), 'utf8')));
const MUTATIONS_MAX = 4;

/** The channel that the payloads in the test data name. It is connected, so that they take effect. */
export const LINE: TestLine = {
  phoneNumberId: '800000000000002',
  businessAccountId: '900000000000001',
  phoneNumber: '+15550100200',
};

/** Any bytes, and JSON that is nearly a notification. */
export const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ unit: anyCharacter }).map((text) => Buffer.from(text)),
  fc.json().map((text) => Buffer.from(text)),
  fc.json().map((text) => Buffer.from(`{"entry":[{"changes":[{"field":"messages","value":${text}}]}]}`)),
  fc
    .json()
    .map((text) => Buffer.from(`{"entry":[{"id":1,"changes":[{"field":"messages","value":{"statuses":${text}}}]}]}`)),
  fc.nat({ max: 200_000 }).map((depth) => Buffer.from('[{"entry":'.repeat(depth % 20_000))),
);

/** A payload of the provider in which other values have replaced some. */
export const mutatedPayload: fc.Arbitrary<unknown> = fc
  .tuple(
    fc.constantFrom(...PAYLOADS),
    fc.array(fc.record({ at: fc.nat(), value: nasty() }), { maxLength: MUTATIONS_MAX }),
  )
  .map(([original, changes]) => {
    const payload = structuredClone(original);
    for (const { at, value } of changes) mutate(payload, at, value);
    return payload;
  });

/** Values of a kind that is not expected at their place. */
function nasty(): fc.Arbitrary<unknown> {
  return fc.oneof(
    fc.constantFrom<unknown>(null, true, 0, -1, 1e300, 2 ** 53, '', ' ', '\u{1F600}'),
    // What no database stores, more often than the rest.
    fc.constantFrom<unknown>('\0', 'a\0b', '\uD800', '\uDC00x', { 'a\0': 'b\0' }),
    fc.constantFrom<unknown>(
      [],
      {},
      [[]],
      [null],
      { id: null },
      '9'.repeat(600),
      '\u{1F600}'.repeat(300),
      'x'.repeat(70_000),
    ),
    fc.constantFrom<unknown>('-1', '0', '99999999999999', '1e9', '253402300800', 'NaN', '__proto__', 'constructor'),
    fc.constantFrom<unknown>(
      'wamid.good',
      'msg_00000000000000000000000000',
      'msg_7zzzzzzzzzzzzzzzzzzzzzzzzz',
      LINE.phoneNumberId,
    ),
    fc.jsonValue(),
    fc.string({ unit: anyCharacter }),
  );
}

/** Replaces one of the nodes with the value. `at` chooses which one. */
function mutate(root: unknown, at: number, value: unknown): void {
  const places: (() => void)[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [name, inner] of Object.entries(node)) {
      places.push(() => Reflect.set(node, name, structuredClone(value)));
      visit(inner);
    }
  };
  visit(root);
  places[at % Math.max(1, places.length)]?.();
}

/** The entries of a notification; empty if it has anything else in their place. */
export function entriesOf(body: unknown): unknown[] {
  const entry: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'entry') : undefined;
  return Array.isArray(entry) ? entry : [entry];
}

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { routesAsData } from '../../src/routes-as-data.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { assertProblem } from '../support/problem.ts';

/** The most that a request may have. A refusal must not have more either. */
const BYTES_MAX = 1 << 20;
/** Processor time, including that of the test. Such a body takes a twentieth of it, and took 20 s when each fault repeated its name. */
const LIMIT_MS = 2_000;

const FAULTY = `[${'"\\u0000",'.repeat(100)}${'1,'.repeat(400)}1]`;
/** The longest name that is looked into. Each of its characters takes nine in a pointer. */
const NAME = '漢'.repeat(510);
const nested = (levels: number): string => (levels === 0 ? FAULTY : `{"${NAME}":${nested(levels - 1)}}`);
const members = (count: number, member: (place: number) => string) =>
  `{${Array.from({ length: count }, (_, place) => member(place)).join()}}`;

const VALUES: Record<string, string> = {
  'a name of a megabyte with faults in it': `{"${'%'.repeat(1_000_000)}":${FAULTY}}`,
  'long names in long names': nested(30),
  'many long names with faults': members(650, (place) => `"${NAME.slice(4)}${place}":"\\u0000"`),
  'a hundred thousand names': members(90_000, (place) => `"k${place}":1`),
  'half a million values': `[${'1,'.repeat(500_000)}1]`,
};

const KINDS = Object.keys(VALUES).length;
const isNested = (schema: unknown) => /"type":"(array|object)"/.test(JSON.stringify(schema));

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

const ROUTES = routesAsData().filter(({ bodyUse }) => bodyUse !== 'none' && bodyUse !== 'raw');

/** Posts the body. Returns the processor time that the refusal took, and the size of the answer. */
async function refuse(method: string, path: string, body: string) {
  const key = path.startsWith('/platform/') ? gateway.platformKey : gateway.testKey;
  const begun = process.cpuUsage();
  const answer = await gateway.call(method, path, { key, body });
  const { user, system } = process.cpuUsage(begun);
  assertProblem(answer, 'invalid_request');
  return { tookMs: (user + system) / 1_000, bytes: Buffer.byteLength(answer.text) };
}

describe('whatever is wrong with a body, its refusal takes neither long nor more than a body may have:', () => {
  assert.ok(ROUTES.length > 15);
  for (const [kind, [name, value]] of Object.entries(VALUES).entries())
    it(name, async () => {
      const bad: string[] = [];
      for (const [route, { method, path, bodySchema }] of ROUTES.entries()) {
        const schemas: object = Object(Reflect.get(Object(bodySchema), 'properties'));
        // Plain members differ little, and so do bodies as a whole, which one validator reads by their schemas: each gets one of the values.
        const known = Object.entries(schemas).filter(([, schema], place) => isNested(schema) || place % KINDS === kind);
        const bodies = known.map(([member]) => `{"${member}":${value}}`);
        if (bodySchema === undefined)
          bodies.push(value, ...['to', 'text', 'template'].map((member) => `{"${member}":${value}}`));
        else if (route % KINDS === kind) bodies.push(value);
        if ('headers' in schemas) bodies.push(`{"body":"","headers":{"webhook-id":${value}}}`);
        for (const body of bodies) {
          const { tookMs, bytes } = await refuse(method, path, body);
          if (tookMs > LIMIT_MS || bytes > BYTES_MAX) bad.push(`${method} ${path}: ${tookMs} ms, ${bytes} bytes`);
        }
      }
      assert.deepEqual(bad, []);
    });
});

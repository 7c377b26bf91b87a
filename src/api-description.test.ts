import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describeGateway } from './api-description.ts';
import { EVENT_TYPES } from './events/event.ts';
import { EXAMPLE } from './http/examples.ts';
import type { JsonObject } from './http/openapi/schemas.ts';
import { isRecord } from './kernel/is-record.ts';
import { routesAsData } from './routes-as-data.ts';

const DOCUMENT = 'https://waypost.example/openapi.json';
const routes = routesAsData();
const description = describeGateway(routes, 'https://waypost.example');

describe('the API description', () => {
  it('has every operation once', () => {
    const operations = everyObject(description).filter(({ value }) => 'operationId' in value);
    const told = routes.filter(({ operation }) => operation !== 'page').length;
    const ids = operations.map(({ value }) => value.operationId);
    assert.equal(ids.length, told + EVENT_TYPES.length + 1, 'every route, every type of event, and the test event');
    assert.equal(new Set(ids).size, ids.length);
  });

  it('describes every field, parameter, header, body and answer', () => {
    const described = everyObject(description).filter(({ pointer }) => MUST_BE_DESCRIBED.test(pointer));
    assert.ok(described.length > 300);
    none(described.filter(({ value }) => !('$ref' in value) && !isFilled(value.description)));
  });

  it('has no default on a member of a body: generators of types take it for one that must be given', () => {
    const bodies = everyObject(description).filter(({ pointer }) => /^#\/components\/schemas\/\w+Body\//.test(pointer));
    assert.ok(bodies.length > 50);
    none(
      bodies.filter(({ pointer, value }) => 'default' in value && !/\/(properties|examples)(\/\d+)?$/.test(pointer)),
    );
  });

  it('has an example of every body, and each fits its schema', () => {
    const ajv = new Ajv2020({ strict: false, validateSchema: false });
    addFormats.default(ajv);
    ajv.addSchema({ ...description, $id: DOCUMENT });
    const contents = everyObject(description).filter(({ value }) => 'schema' in value && 'examples' in value);
    assert.ok(contents.length > 80);
    for (const { pointer, value } of contents) {
      const validate = ajv.compile({ $ref: `${DOCUMENT}${pointer}/schema` });
      const examples = Object.values(Object(value.examples));
      assert.ok(examples.length > 0, `${pointer} has no example`);
      for (const example of examples)
        assert.ok(validate(Object(example).value), `${pointer}: ${ajv.errorsText(validate.errors)}`);
    }
  });

  it('has a fitting example in every shared schema that has one', () => {
    const ajv = new Ajv2020({ strict: false, validateSchema: false });
    addFormats.default(ajv);
    ajv.addSchema({ ...description, $id: DOCUMENT });
    const withExamples = everyObject(description).filter(
      ({ pointer, value }) => /^#\/components\/schemas\//.test(pointer) && Array.isArray(value.examples),
    );
    for (const { pointer, value } of withExamples)
      for (const example of Array.isArray(value.examples) ? value.examples : [])
        assert.ok(ajv.validate({ $ref: `${DOCUMENT}${pointer}` }, example), `${pointer}: ${ajv.errorsText()}`);
  });

  it('tells by the status of an entry what else is in it, so that generated programs need not ask', () => {
    const ajv = new Ajv2020({ strict: false, validateSchema: false });
    addFormats.default(ajv);
    ajv.addSchema({ ...description, $id: DOCUMENT });
    const fits = (name: string, value: object) =>
      ajv.validate({ $ref: `${DOCUMENT}#/components/schemas/${name}` }, value);
    const error = Object(description.components).schemas.MessageError.examples[0];
    const message = { to: EXAMPLE.phone, id: EXAMPLE.messageId };
    for (const name of ['ResultEntry', 'RequestEntry']) {
      assert.ok(fits(name, { ...message, status: 'accepted' }));
      assert.ok(fits(name, { to: '0770', status: 'failed', error }));
      assert.ok(fits(name, { ...message, status: 'unknown', error }));
      assert.ok(!fits(name, { to: EXAMPLE.phone, status: 'accepted' }), 'what was accepted has an id');
      for (const status of ['failed', 'unknown'])
        assert.ok(!fits(name, { ...message, status }), `${status} has an error`);
    }
    assert.ok(
      fits('RequestEntry', { ...message, status: 'pending' }) &&
        !fits('ResultEntry', { ...message, status: 'pending' }),
    );
    assert.ok(fits('ValidationEntry', { to: EXAMPLE.phone, status: 'valid' }));
    assert.ok(!fits('ValidationEntry', { to: EXAMPLE.phone, status: 'invalid' }));
  });

  it('names every object that is one side of a union, and briefly, because generated programs call their types by these names', () => {
    none(
      everyObject(description).filter(
        ({ pointer, value }) => /\/(anyOf|oneOf)\/\d+$/.test(pointer) && 'properties' in value,
      ),
    );
    const { schemas, responses } = Object(description.components);
    const names = [...Object.keys(schemas), ...Object.keys(responses)];
    assert.deepEqual(
      names.filter((name) => name.length > 50),
      [],
    );
  });

  it('says in the type of a member that it may be null, unless it is one of several words or has a schema of its own', () => {
    const unions = everyObject(description).filter(({ value }) => Array.isArray(value.anyOf));
    const orNull = unions.flatMap(({ pointer, value }) => {
      const sides = Array.isArray(value.anyOf) ? value.anyOf : [];
      return sides.some((side) => Object(side).type === 'null') ? [{ pointer, value: Object(sides[0]) }] : [];
    });
    assert.ok(orNull.length > 5);
    none(orNull.filter(({ value }) => !('$ref' in value) && !('enum' in value)));
  });

  it('holds placeholders and test numbers, and nothing that could be somebody', () => {
    const text = JSON.stringify(description);
    const numbers = text.match(/\+[1-9][0-9]{6,14}/g) ?? [];
    assert.ok(numbers.length > 0);
    assert.deepEqual(
      numbers.filter((number) => !number.startsWith('+447700900')),
      [],
    );
    assert.doesNotMatch(text, /wp_(live|test|root)_[0-9A-Za-z]|whsec_[0-9A-Za-z]|sha256=[0-9a-f]|v1,[0-9A-Za-z+/]/);
  });

  it("has the rate of the key on every answer to an account's key that is known, and on no other", () => {
    const { responses } = Object(description.components);
    const found = everyObject(description.paths).flatMap(({ value }) =>
      'operationId' in value
        ? Object.entries(Object(value.responses)).map(([status, answer]) => {
            const { $ref: ref, headers = responses[String(ref).split('/').at(-1) ?? '']?.headers } = Object(answer);
            const known = status !== '401' && JSON.stringify(value.security ?? '').includes('accountKey');
            const rated = ['ratelimit-policy', 'ratelimit'].filter((name) => name in Object(headers)).length;
            return { told: `${value.operationId} ${status}`, known, rated };
          })
        : [],
    );
    assert.ok(found.filter(({ known }) => known).length > 100);
    assert.deepEqual(
      found.filter(({ known, rated }) => rated !== (known ? 2 : 0)).map(({ told }) => told),
      [],
    );
  });

  it('tells of every type of event with the headers of Standard Webhooks', () => {
    const webhooks = Object(description.webhooks);
    assert.deepEqual(Object.keys(webhooks), [...EVENT_TYPES, 'endpoint.test']);
    for (const { post } of Object.values<{ post: { parameters: { name: string }[] } }>(webhooks)) {
      const names = post.parameters.map(({ name }) => name);
      assert.deepEqual(names.slice(0, 3), ['webhook-id', 'webhook-timestamp', 'webhook-signature']);
    }
  });

  it('promises of a test event nothing that holds for recorded ones only', () => {
    const { post } = Object(description.webhooks)['endpoint.test'];
    assert.deepEqual(Object.keys(post.responses), ['2XX', 'default']);
    assert.doesNotMatch(JSON.stringify([post.description, post.responses]), /tried again|sequence|is disabled/);
  });
});

/** A field; a parameter; a header; an answer; a tag; an operation. */
const MUST_BE_DESCRIBED =
  /(\/properties|\/parameters|\/responses(\/[^/]+\/headers)?|#\/tags|\/components\/(schemas|headers)|\/paths\/[^/]+)\/[^/]+$/;

interface Place {
  pointer: string;
  value: JsonObject;
}

/** Every object in a value, with its place. What stands in an example is a value, and tells of nothing. */
function everyObject(value: unknown, pointer = '#'): Place[] {
  if (Array.isArray(value)) return value.flatMap((item, place) => everyObject(item, `${pointer}/${place}`));
  if (!isRecord(value)) return [];
  const parts = Object.entries(value).filter(([name]) => !['example', 'examples', 'default'].includes(name));
  return [{ pointer, value }, ...parts.flatMap(([name, part]) => everyObject(part, `${pointer}/${tokenOf(name)}`))];
}

function tokenOf(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function none(places: readonly Place[]): void {
  assert.deepEqual(
    places.map(({ pointer }) => pointer),
    [],
  );
}

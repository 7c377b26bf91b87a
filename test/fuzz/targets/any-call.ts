import assert from 'node:assert/strict';
import fc from 'fast-check';
import { routesAsData } from '../../../src/routes-as-data.ts';
import { assertDescribed } from '../../support/described-answers.ts';
import type { TestGateway } from '../../support/gateway.ts';
import { callRaw } from '../../support/raw-http.ts';
import { STREAM } from '../../support/routes.ts';
import { anyId, anyQuery } from '../queries.ts';
import { sendBody } from '../send-body.ts';
import type { FuzzTarget } from '../target.ts';

const PATHS = routesAsData()
  .map(({ path }) => path)
  .filter((path) => path !== STREAM);

const place = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom(...PATHS), anyId)
      .map(([route, id]) => ({ path: fill(route, id), known: true })),
  },
  { weight: 1, arbitrary: fc.webPath().map((text) => ({ path: `/${text}`, known: false })) },
  { weight: 1, arbitrary: fc.stringMatching(/^\/[!-~]{0,40}$/).map((path) => ({ path, known: false })) },
);
const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'PROPFIND');
const header = fc.oneof(
  fc.tuple(
    fc.constant('content-type'),
    fc.constantFrom('application/json', 'text/plain', 'application/json; charset=utf-16', 'x'),
  ),
  fc.tuple(fc.constant('idempotency-key'), fc.stringMatching(/^[ -~]{0,30}$/)),
  fc.tuple(
    fc.constantFrom('content-encoding', 'accept', 'accept-encoding', 'if-none-match', 'origin'),
    fc.constantFrom('gzip', 'a/b', '*'),
  ),
  fc.tuple(fc.constant('traceparent'), fc.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/)),
  fc.tuple(fc.stringMatching(/^x-[a-z]{1,10}$/), fc.stringMatching(/^[!-~]{0,30}$/)),
);
const body = fc.oneof(
  fc.constant(undefined),
  sendBody,
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.json(),
);
const key = fc.constantFrom('test', 'platform', 'none', 'wp_test_nonsense');

/** Any call must be answered as the API description says, or by a problem, but never by a 500. */
export const anyCallTarget: FuzzTarget = {
  name: 'calls of every kind',
  property: (gateway) =>
    fc.asyncProperty(
      fc.record({ method, place, query: anyQuery, headers: fc.array(header, { maxLength: 4 }), body, key }),
      async (call) => {
        const headers = [...authorization(gateway, call.key), ...call.headers.flat()];
        const given = call.body === undefined ? {} : { body: call.body };
        const answer = await callRaw(gateway.url, {
          method: call.method,
          path: call.place.path + call.query,
          headers,
          ...given,
        });
        assert.ok(answer.status < 500 || answer.json?.code === 'unavailable', `${answer.status}: ${answer.text}`);
        if (['HEAD', 'OPTIONS'].includes(call.method)) return;
        // An answer that belongs to no operation can only be a problem, which is checked below.
        if (call.place.known && ![404, 405].includes(answer.status))
          assertDescribed(call.method, call.place.path, answer);
        if (answer.status < 400) return;
        assert.equal(answer.headers.get('content-type'), 'application/problem+json', answer.text);
        assert.equal(answer.json.status, answer.status);
        assert.equal(answer.json.request_id, answer.headers.get('x-request-id'));
      },
    ),
};

function fill(route: string, id: string): string {
  return route.replace(/:[a-z_]+/g, encodeURIComponent(id.toWellFormed())).replace('*', 'style.css');
}

function authorization({ testKey, platformKey }: TestGateway, key: string): string[] {
  if (key === 'none') return [];
  return ['authorization', `Bearer ${{ test: testKey, platform: platformKey }[key] ?? key}`];
}

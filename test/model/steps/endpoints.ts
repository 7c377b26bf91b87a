import assert from 'node:assert/strict';
import fc from 'fast-check';
import { assertProblem } from '../../support/problem.ts';
import { until } from '../../support/until.ts';
import { readTestLog, timesAt, untilDelivered } from '../deliveries.ts';
import { type Model, type ModelEndpoint, pick, wants } from '../model.ts';
import { readList } from '../read-list.ts';
import { isModelled } from '../read-log.ts';
import { type Called, type Caller, callAs, type Real } from '../real.ts';
import { aCaller, anIndex, step } from '../step.ts';

const PATH = '/api/v1/endpoints';
const scope = 'endpoints:manage';
const TYPES = [null, ['message.read', 'message.unknown'], ['message.received'], ['account.updated', 'message.failed']];
let made = 0;

export const makeEndpoint = step(
  'makeEndpoint',
  fc.record({ caller: aCaller, types: fc.constantFrom(...TYPES) }),
  async (model, real, given) => {
    const path = `/endpoint-${++made}`;
    const body = { url: real.receiver.url + path, types: given.types };
    const called = await callAs(model, real, given.caller, { method: 'POST', path: PATH, body, scope });
    if (called === undefined) return;
    const { answer, data, key } = called;
    // Only events of tests may go to this machine.
    if (key.mode === 'live') return void assertProblem(answer, 'invalid_request');
    assert.equal(answer.status, 201, answer.text);
    assert.match(answer.json.secret, /^whsec_/);
    const endpoint = {
      id: answer.json.id,
      path,
      types: given.types,
      description: null,
      enabled: true,
      due: new Set<number>(),
      allowed: new Set<number>(),
    };
    data.endpoints.push(endpoint);
    expectEndpoint(answer.json, endpoint, real);
  },
);

const aChange = fc.record(
  {
    types: fc.constantFrom(...TYPES),
    description: fc.constantFrom(null, 'Shop'),
    enabled: fc.boolean(),
    move: fc.constant(true),
  },
  { requiredKeys: [] },
);

export const changeEndpoint = step(
  'changeEndpoint',
  fc.record({ caller: aCaller, index: anIndex, change: aChange }),
  async (model, real, { change: { move, ...change }, ...which }) => {
    const path = `/endpoint-${++made}`;
    const body = { ...change, ...(move && { url: real.receiver.url + path }) };
    const found = await callEndpoint(model, real, which, { method: 'PATCH', body });
    if (found === undefined) return;
    const { endpoint, answer } = found;
    assert.equal(answer.status, 200, answer.text);
    Object.assign(endpoint, change, move && { path, due: new Set() });
    expectEndpoint(answer.json, endpoint, real);
  },
);

export const deleteEndpoint = step(
  'deleteEndpoint',
  fc.record({ caller: aCaller, index: anIndex }),
  async (model, real, which) => {
    const found = await callEndpoint(model, real, which, { method: 'DELETE' });
    if (found === undefined) return;
    assert.equal(found.answer.status, 204);
    found.data.endpoints.splice(found.data.endpoints.indexOf(found.endpoint), 1);
  },
);

export const replay = step(
  'replay',
  fc.record({ caller: aCaller, index: anIndex, after: fc.nat({ max: 6 }) }),
  async (model, real, { after, ...which }) => {
    let before = 0;
    const call = { method: 'POST', below: '/replay', body: { after_sequence: after } };
    const found = await callEndpoint(model, real, which, call, () => (before = real.receiver.received.length));
    if (found === undefined) return;
    const { answer, endpoint, key } = found;
    const log = await readTestLog(real, found.account);
    const wanted = log.filter((event) => event.sequence > after && wants(endpoint, event));
    for (const [place, event] of log.filter(isModelled).entries())
      if (wanted.includes(event)) endpoint.allowed.add(place);
    assert.equal(answer.status, 202, answer.text);
    assert.equal(answer.json.count, wanted.length);
    // What is replayed while it is off goes out when it is turned on: to whatever address, for whatever types it has then.
    if (!endpoint.enabled || key.revoked) return;
    const { path } = endpoint;
    await until(() => wanted.every((event) => timesAt(real, path, event, before) > 0));
  },
);

export const listEndpoints = step(
  'listEndpoints',
  fc.record({ caller: aCaller, limit: fc.integer({ min: 1, max: 3 }) }),
  async (model, real, given) => {
    const called = await callAs(model, real, given.caller, { method: 'GET', path: PATH, scope });
    if (called === undefined) return;
    const expected = called.data.endpoints.toSorted((a, b) => (a.id < b.id ? 1 : -1));
    const shown = await readList(real, called.key.secret, PATH, given.limit);
    assert.equal(shown.length, expected.length);
    for (const [place, endpoint] of expected.entries()) {
      expectEndpoint(shown[place], endpoint, real);
      await untilDelivered(real, called.account, endpoint);
    }
  },
);

/** Calls for an endpoint that may be another account's. What is on its way before has arrived, because a change may drop it. */
async function callEndpoint(
  model: Model,
  real: Real,
  { caller, index }: { caller: Caller; index: number },
  { method, below = '', body }: { method: string; below?: string; body?: object },
  beforeCall: () => void = () => undefined,
): Promise<(Called & { endpoint: ModelEndpoint }) | undefined> {
  const owned = model.accounts.flatMap((account) =>
    account.data.test.endpoints.map((endpoint) => ({ account, data: account.data.test, endpoint })),
  );
  const found = pick(owned, index);
  if (found === undefined || found.account.deleted) return undefined;
  await untilDelivered(real, found.account, found.endpoint);
  beforeCall();
  const path = `${PATH}/${found.endpoint.id}${below}`;
  const called = await callAs(model, real, caller, { method, path, scope, ...(body && { body }) });
  if (called === undefined) return undefined;
  if (called.data === found.data) return { ...called, endpoint: found.endpoint };
  // A live key's address is wrong whatever it is the address of.
  const isWrong = called.key.mode === 'live' && body !== undefined && 'url' in body;
  assertProblem(called.answer, isWrong ? 'invalid_request' : 'not_found');
  return undefined;
}

function expectEndpoint(
  shown: Record<string, unknown>,
  { id, path, types, description, enabled }: ModelEndpoint,
  { receiver }: Real,
): void {
  assert.deepEqual(
    [shown.id, shown.url, shown.types, shown.description, shown.enabled, shown.disabled_reason],
    [id, receiver.url + path, types, description, enabled, enabled ? null : 'requested'],
  );
}

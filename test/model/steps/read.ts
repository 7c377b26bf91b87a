import assert from 'node:assert/strict';
import fc from 'fast-check';
import { assertProblem } from '../../support/problem.ts';
import { expectEvents, expectMessage } from '../expect.ts';
import { type ModelData, type ModelMessage, pick } from '../model.ts';
import { readList } from '../read-list.ts';
import { readLog } from '../read-log.ts';
import { callAs } from '../real.ts';
import { aCaller, anIndex, step } from '../step.ts';

/** Each by each: what belongs to another account or mode is not there. */
export const readMessage = step(
  'readMessage',
  fc.record({ caller: aCaller, owner: fc.nat({ max: 1 }), mode: fc.constantFrom('test', 'live'), message: anIndex }),
  async (model, real, { caller, owner, mode, message: index }) => {
    const of = pick(model.accounts, owner)?.data[mode];
    const message = of && pick(of.messages, index);
    if (message === undefined) return;
    const called = await callAs(model, real, caller, {
      method: 'GET',
      path: `/api/v1/messages/${message.id}`,
      scope: 'messages:read',
    });
    if (called === undefined) return;
    if (called.data !== of) return void assertProblem(called.answer, 'not_found');
    assert.equal(called.answer.status, 200, called.answer.text);
    expectMessage(called.answer.json, message);
  },
);

const FILTERS: Record<string, (message: ModelMessage) => boolean> = {
  '': () => true,
  '?status=accepted': ({ status }) => status === 'accepted',
  '?status=failed': ({ status }) => status === 'failed',
  '?status=unknown': ({ status }) => status === 'unknown',
  '?status=read&direction=outbound': ({ status }) => status === 'read',
  '?direction=inbound': ({ direction }) => direction === 'inbound',
  '?client_reference=order-1': ({ clientReference }) => clientReference === 'order-1',
  '?to=%2B447700900101': ({ direction, person }) => direction === 'outbound' && person === '+447700900101',
  '?to= 447700900102&status=sent': ({ direction, person, status }) =>
    direction === 'outbound' && person === '+447700900102' && status === 'sent',
  '?person=%2B447700900101': ({ person }) => person === '+447700900101',
};

export const listMessages = step(
  'listMessages',
  fc.record({
    caller: aCaller,
    filter: fc.constantFrom(...Object.keys(FILTERS)),
    limit: fc.integer({ min: 1, max: 5 }),
  }),
  async (model, real, { caller, filter, limit }) => {
    const path = `/api/v1/messages${filter}`;
    const called = await callAs(model, real, caller, { method: 'GET', path, scope: 'messages:read' });
    if (called === undefined) return;
    const expected = called.data.messages
      .filter((message) => FILTERS[filter]?.(message))
      .sort((a, b) => (a.id < b.id ? 1 : -1));
    const shown = await readList(real, called.key.secret, path, limit);
    assert.deepEqual(
      shown.map(({ id }) => id),
      expected.map(({ id }) => id),
    );
    for (const [place, message] of expected.entries()) expectMessage(shown[place], message);
  },
);

export const readRequest = step(
  'readRequest',
  fc.record({ caller: aCaller, request: anIndex }),
  async (model, real, given) => {
    const path = (data: ModelData) => `/api/v1/requests/${pick(data.requests, given.request)?.id ?? 'req_none'}`;
    const called = await callAs(model, real, given.caller, { method: 'GET', path, scope: 'messages:read' });
    if (called === undefined) return;
    const { data, answer } = called;
    const request = pick(data.requests, given.request);
    if (request === undefined) return void assertProblem(answer, 'not_found');
    const of = data.messages.filter(({ id }) => request.messageIds.includes(id));
    const counted = (...statuses: string[]) => of.filter(({ status }) => statuses.includes(status)).length;
    const { accepted_count, failed_count, unknown_count, pending_count } = answer.json;
    assert.deepEqual(
      { accepted_count, failed_count, unknown_count, pending_count },
      {
        ...{
          accepted_count: counted('accepted', 'sent', 'delivered', 'read'),
          failed_count: counted('failed') + request.refused,
        },
        ...{ unknown_count: counted('unknown'), pending_count: 0 },
      },
    );
  },
);

export const readEvents = step(
  'readEvents',
  fc.record({ caller: aCaller, limit: fc.constantFrom(1, 3, 100) }),
  async (model, real, { caller, limit }) => {
    const called = await callAs(model, real, caller, { method: 'GET', path: '/api/v1/events', scope: 'events:read' });
    if (called === undefined) return;
    const all = await readLog(real, called.key.secret, limit);
    expectEvents(all, called.data);
  },
);

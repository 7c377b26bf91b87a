import assert from 'node:assert/strict';
import { it } from 'node:test';
import { EVENT_TYPES } from '../events/event.ts';

it('of every kind of event it is known whether it may tell of a person: only one of a message does', () => {
  const subjects = new Set(EVENT_TYPES.map((type) => type.split('.')[0]));
  const ofNobody = ['template', 'channel', 'account', 'endpoint'];
  assert.deepEqual(subjects, new Set(['message', ...ofNobody]));
});

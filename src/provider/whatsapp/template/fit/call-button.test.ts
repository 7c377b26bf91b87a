import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkAgainstTemplate } from './check-against-template.ts';

const PARAMETERS = [
  { type: 'ttl_minutes', ttl_minutes: 100 },
  { type: 'payload', payload: 'ORDER' },
];
const TEMPLATE = [
  { type: 'BODY', text: 'You can call us' },
  { type: 'BUTTONS', buttons: [{ type: 'URL', url: 'https://a.example/' }, { type: 'VOICE_CALL' }] },
];

function faultsOf(template: unknown[], more: Record<string, unknown>) {
  const given = { type: 'button', sub_type: 'voice_call', parameters: PARAMETERS, ...more };
  return checkAgainstTemplate({ parameterFormat: 'positional', components: template }, [given], '#').map(
    ({ pointer, given: told }) => [pointer, told],
  );
}

describe('a button for a call', () => {
  it('needs no index, because a template has one', () => {
    for (const more of [{}, { sub_type: 'VOICE_CALL' }, { index: 1 }, { index: '1' }])
      assert.deepEqual(faultsOf(TEMPLATE, more), []);
  });

  it('is told where the template has none, or another one in its place', () => {
    assert.deepEqual(faultsOf(TEMPLATE.slice(0, 1), {}), [['#/0/index', 'none']]);
    assert.deepEqual(faultsOf(TEMPLATE, { index: 0 }), [['#/0/sub_type', 'voice_call']]);
  });
});

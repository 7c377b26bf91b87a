import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';

it('no core dump with the secrets in it is written where a gateway runs as the guide has it', () => {
  assert.match(readFileSync('ops/waypost.service', 'utf8'), /^LimitCORE=0$/m);
  const [, gateway = ''] = /^ {2}gateway:\n((?: {4}.*\n|\n)+)/m.exec(readFileSync('compose.yaml', 'utf8')) ?? [];
  assert.match(gateway, /^ {4}ulimits: \{ core: 0 \}$/m);
});

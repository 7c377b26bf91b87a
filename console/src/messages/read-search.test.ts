import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readSearch } from './read-search.ts';

const ID = '01m7xhm75qe3588jwhjzd5zreq';

it('a search is for what it looks like', () => {
  const by = (member: string, value: string) => ({ member, value });
  const cases: [string, unknown][] = [
    ['  ', undefined],
    [`msg_${ID}`, `msg_${ID}`],
    [`req_${ID}`, by('request_id', `req_${ID}`)],
    ['+44 7700 900-123', by('person', '+447700900123')],
    ['\u202a+44\u00a07700\u2009900123\u202c', by('person', '+447700900123')],
    ['wamid.HBgM=', by('message_id', 'wamid.HBgM=')],
    ['US.675611277158417062', by('person', 'US.675611277158417062')],
    ['order-42', by('client_reference', 'order-42')],
    ['447700900123', by('client_reference', '447700900123')],
  ];
  for (const [typed, expected] of cases) {
    const search = readSearch(typed);
    const found = search.kind === 'filter' ? search.by : search.kind === 'message' ? search.id : undefined;
    assert.deepEqual(found, expected, typed);
  }
});

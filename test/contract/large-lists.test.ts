import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createBodyCheck } from '../../src/http/check-schema.ts';
import { routesAsData } from '../../src/routes-as-data.ts';

/** So many that they have half a megabyte or more of the one that the API takes. */
const ITEMS = 60_000;
/** Processor time. Checking such a list takes a tenth of a second; a check whose time grows with the square of the list took 20 s. */
const LIMIT_MS = 3_000;
const ITEM_KINDS = ['message.sent', 'messages:send', 'x', 1, {}];

it('no body holds up the others while it is checked, however long the lists in it are', () => {
  const slow: string[] = [];
  let checks = 0;
  for (const { method, path, bodySchema } of routesAsData()) {
    if (bodySchema === undefined) continue;
    const check = createBodyCheck(bodySchema);
    for (const name of Object.keys(Object(Reflect.get(bodySchema, 'properties'))))
      for (const item of ITEM_KINDS) {
        const begun = process.cpuUsage();
        const faults = check({ [name]: new Array(ITEMS).fill(item) });
        const tookMs = Math.round(process.cpuUsage(begun).user / 1_000);
        assert.ok(faults.length > 0, `${method} ${path} takes such a list as ${name}`);
        if (tookMs > LIMIT_MS) slow.push(`${method} ${path} ${name} of ${JSON.stringify(item)}: ${tookMs} ms`);
        checks += 1;
      }
  }
  assert.ok(checks > 50);
  assert.deepEqual(slow, []);
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PlainFault, runTool } from '../../src/run-tool.ts';
import { createCleanup } from '../harness/cleanup.ts';
import { writeResult } from '../harness/report.ts';
import { requireWritable } from '../harness/require-writable.ts';
import { chartOf, pageOf } from './report.ts';
import { soak } from './soak.ts';

const USAGE = `npm run soak -- [--minutes N] [--rate R] [--out DIR]

Keeps a gateway under a steady load and watches what grows.
  --minutes N  how long (60)
  --rate R     sends a second (25), each with three statuses and three deliveries
  --out DIR    where soak.json and soak.md are written (bench/results)`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '60' },
      rate: { type: 'string', default: '25' },
      out: { type: 'string', default: 'bench/results' },
      help: { type: 'boolean', default: false },
    },
  });

  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const extent = { minutes: readNumber('--minutes', values.minutes), perSecond: readNumber('--rate', values.rate) };
  requireWritable(values.out);
  const cleanup = createCleanup();
  try {
    const result = await soak(cleanup, extent, (line) => console.log(line));
    console.log(chartOf(result));
    writeResult(join(values.out, 'soak.json'), 'soak', result);
    writeFileSync(join(values.out, 'soak.md'), pageOf(result));
    return result.healthy ? 0 : 1;
  } finally {
    await cleanup.run();
  }
}

function readNumber(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new PlainFault(`${name} must be a number above 0.`, 2);
  return value;
}

await runTool(main);

import { parseArgs } from 'node:util';
import { PlainFault, runTool } from '../../src/run-tool.ts';

const USAGE = `npm run fuzz -- [--seconds N] [--target TEXT] [--seed S --path P]

Gives every door whatever can be thought of, each time something else, until the time is over.
  --seconds N    for all of them together (60)
  --target TEXT  only those whose name holds this
  --seed S       one failure again, with the path that was printed
  --path P`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '60' },
      target: { type: 'string', default: '' },
      seed: { type: 'string' },
      path: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const seconds = Number(values.seconds);
  if (!(seconds > 0)) throw new PlainFault('--seconds must be a number above 0.', 2);
  // The targets load the whole gateway, for which nobody should wait who has made a mistake.
  const { fuzzTargets } = await import('./fuzz-targets.ts');
  const again = values.seed === undefined ? {} : { seed: Number(values.seed), path: values.path };
  return fuzzTargets({ name: values.target, seconds, again });
}

await runTool(main);

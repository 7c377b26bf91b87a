import { parseArgs } from 'node:util';
import { runTool } from '../../src/run-tool.ts';
import { globalSetup, globalTeardown } from '../support/cluster.ts';
import { createTestDatabase } from '../support/database.ts';
import { keepPlans, planFiles } from './files.ts';
import { planStatements } from './plans.ts';

const USAGE = `npm run plans -- [--update]

Tells which kept plans are no longer those of the statements; with --update keeps the new ones.`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { update: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
  });
  if (values.help) return console.log(USAGE);
  await globalSetup();
  const testDatabase = await createTestDatabase();
  try {
    const changed = planFiles(await planStatements(testDatabase)).filter(({ planned, kept }) => planned !== kept);
    for (const file of changed) {
      if (values.update) keepPlans(file);
      console.log(`${values.update ? 'Kept' : 'Changed'}: test/plans/${file.name}`);
    }
    if (changed.length === 0) console.log('All plans are as they are kept.');
  } finally {
    await testDatabase.drop();
    await globalTeardown();
  }
}

await runTool(main);

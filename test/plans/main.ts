import { globalSetup, globalTeardown } from '../support/cluster.ts';
import { createTestDatabase } from '../support/database.ts';
import { keepPlans, planFiles } from './files.ts';
import { planStatements } from './plans.ts';

/** Tells which kept plans are no longer those of the statements; with `--update` keeps the new ones. */
await globalSetup();
const testDatabase = await createTestDatabase();
try {
  const changed = planFiles(await planStatements(testDatabase)).filter(({ planned, kept }) => planned !== kept);
  const update = process.argv.includes('--update');
  for (const file of changed) {
    if (update) keepPlans(file);
    console.log(`${update ? 'Kept' : 'Changed'}: test/plans/${file.name}`);
  }
  if (changed.length === 0) console.log('All plans are as they are kept.');
} finally {
  await testDatabase.drop();
  await globalTeardown();
}

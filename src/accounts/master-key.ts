import type { Sealer } from '../kernel/sealed.ts';
import type { Queryable } from '../store/database.ts';
import { keepMasterKeyCheck } from './store.ts';

const KNOWN_TEXT = 'waypost';
const CONTEXT = 'master-key-check';

/** Throws a sentence for the operator if the master key does not open what is stored. */
export async function checkMasterKey(store: Queryable, sealer: Sealer): Promise<void> {
  const sealed = await keepMasterKeyCheck(store, sealer.seal(KNOWN_TEXT, CONTEXT));
  if (!opens(sealer, sealed))
    throw new Error(
      'The master key does not open what is stored in this database. Start with the key that sealed it (WAYPOST_MASTER_KEY).',
    );
}

function opens(sealer: Sealer, sealed: Buffer): boolean {
  try {
    return sealer.open(sealed, CONTEXT) === KNOWN_TEXT;
  } catch {
    // The cipher says no more than that the key is not the right one.
    return false;
  }
}

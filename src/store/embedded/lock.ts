import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorCodeOf } from '../../kernel/error-code.ts';
import { messageOf } from '../../kernel/message-of.ts';

/** The code with which SQLite says that another process holds the lock. https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;

export interface DataDirLock {
  release(): void;
}

/**
 * Makes this process the only one that works on a data folder, or throws a sentence for the operator. Node has no call to lock a file, but
 * its SQLite locks one by the kernel. Such a lock ends with its process, however that dies. So there is no stale lock to judge, and no
 * process id that another process may have got meanwhile.
 *
 * A database that is `outside` of the data folder has a lock of its own: a copy of the data folder has another lock, and names the same
 * database.
 */
export async function lockDataDir(dataDir: string, outside?: string): Promise<DataDirLock> {
  const folder = outside ?? dataDir;
  const holderFile = join(folder, 'lock.pid');
  const lockFile = join(folder, 'lock');
  await makeLockFile(lockFile);
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(lockFile, { timeout: 0 });
    lock.exec('pragma locking_mode = exclusive; begin exclusive');
  } catch (error) {
    lock?.close();
    if (isBusy(error)) throw new Error(await heldSentence(dataDir, outside, holderFile), { cause: error });
    // SQLite says what is wrong, such as a full disk, and not where.
    const why = messageOf(error);
    throw new Error(`The data folder ${folder} cannot be locked, by its file ${lockFile}: ${why}.`, { cause: error });
  }
  await writeFile(holderFile, `${process.pid}\n`, { mode: 0o600 });
  return { release: () => lock.close() };
}

/**
 * We make the file, because SQLite would let others open it, and whoever can open it can lock it. A file that exists is not even opened: a
 * process that closes any handle of a file loses its locks on that file.
 */
async function makeLockFile(lockFile: string): Promise<void> {
  try {
    await writeFile(lockFile, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}

async function heldSentence(dataDir: string, outside: string | undefined, holderFile: string): Promise<string> {
  // The holder writes the file just after it has taken the lock. Between the two the file is missing, or names the holder before.
  const holder = (await readFile(holderFile, 'utf8').catch(() => '')).trim();
  const other = `Another Waypost (process ${holder || 'unknown'}) is running on`;
  if (outside !== undefined)
    return (
      `${other} the database in ${outside}, which ${join(dataDir, 'postgres-location')} names: one of the two data folders is a copy of ` +
      'the other. Stop it first, or give this one its own folder with WAYPOST_DATA_DIR; "npm run backup" copies the database too.'
    );
  return (
    `${other} the data folder ${dataDir}. Stop it first, or give this one its own folder with WAYPOST_DATA_DIR, or let both use one ` +
    'database with DATABASE_URL.'
  );
}

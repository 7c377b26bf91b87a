import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DevFile } from '../src/demo.ts';
import { PlainFault } from '../src/run-tool.ts';
import { parseJson } from './parse-json.ts';

/**
 * Reads the `dev.json` that the gateway of this machine wrote into its data folder at its start, and returns what gives a member of it.
 * The folder is `WAYPOST_DATA_DIR`, else `.waypost`, unless it is given. Throws a `PlainFault` if the file is not there, ending with `hint`,
 * or is not as the gateway writes it.
 */
export async function readDevFile(
  dataDir: string | undefined,
  hint: string,
): Promise<(member: keyof DevFile) => string> {
  const path = join(dataDir ?? (process.env.WAYPOST_DATA_DIR?.trim() || '.waypost'), 'dev.json');
  // Whatever the reason is that the file cannot be read, the sentence below says what to do.
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined)
    throw new PlainFault(`There is no ${path}. Start the gateway with "npm start" in another terminal first, ${hint}`);
  const dev = parseJson(text);
  if (dev === undefined)
    throw new PlainFault(`What is in ${path} is no JSON. Start the gateway again, which writes it anew.`);
  return (member) => {
    const value: unknown = Reflect.get(Object(dev), member);
    if (typeof value === 'string') return value;
    throw new PlainFault(`${path} has no ${member}. Start the gateway again, which writes it anew.`);
  };
}

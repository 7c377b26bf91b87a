import { parseArgs } from 'node:util';
import { ConfigError, loadConfig } from './config.ts';
import { runTool } from './run-tool.ts';
import { type Environment, given } from './setting-reader.ts';
import { SETTINGS } from './settings.ts';
import { unknownSettings } from './unknown-settings.ts';

const HELP = 'npm run config\n\nPrints every setting with the value that a start would use.';

type KnownSetting = (typeof SETTINGS)[number];

/** Every setting with the value that a start would use, its default and its meaning. Secrets are never shown. */
export function describeSettings(environment: Environment): string {
  const rows = SETTINGS.map((setting) => [
    setting.name,
    withoutPassword(
      'default' in setting
        ? (given(environment, setting.name) ?? setting.default)
        : withoutDefault(setting, environment),
    ),
    'default' in setting ? setting.default : '',
    setting.help,
  ]);
  const table = [['SETTING', 'VALUE', 'DEFAULT', 'MEANING'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
}

/** The address of a collector of traces, for one, may have a password before its host. */
function withoutPassword(value: string): string {
  return value.replace(/^(\w+:\/\/)[^/?#]*@/, '$1***@');
}

function withoutDefault({ name, kind }: KnownSetting, environment: Environment): string {
  const value = given(environment, name);
  const isProduction = environment.NODE_ENV?.trim() === 'production';
  const isSecret = kind === 'secret' || kind === 'secrets';
  if (isSecret && (value || environment[`${name}_FILE`]?.trim())) return 'given';
  if (kind === 'switch') return value ?? 'by HOST and NODE_ENV';
  if (name.startsWith('OTEL_') || name === 'WAYPOST_PROXY_URL') return value ?? 'none';
  if (kind === 'text') return value ?? (isProduction ? 'missing' : 'by HOST and PORT');
  if (name === 'DATABASE_URL') return 'embedded';
  // The sandbox's own secret verifies for test channels only, so production makes it too.
  return isProduction && name !== 'WAYPOST_SANDBOX_APP_SECRET' ? 'missing' : 'made at the first start';
}

/** `npm run config`: the table, then what a start would ignore, and what it would stop for. */
async function main(): Promise<number> {
  if (parseArgs({ options: { help: { type: 'boolean', short: 'h' } } }).values.help === true) {
    console.log(HELP);
    return 0;
  }
  console.log(describeSettings(process.env));
  const unknown = unknownSettings(process.env);
  if (unknown.length > 0) console.error(`\nThese are no settings, and change nothing: ${unknown.join(', ')}`);
  try {
    loadConfig(process.env);
    return 0;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(`\n${error.message}`);
    return 1;
  }
}

if (import.meta.main) await runTool(main);

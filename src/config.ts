import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** How a setting is written and read. A `list` is comma-separated; all but `secret` kinds may be shown to an operator. */
type Kind = 'text' | 'integer' | 'switch' | 'secret' | 'secrets' | 'port';

interface Setting {
  name: string;
  kind: Kind;
  default?: string;
  min?: number;
  max?: number;
  /** One sentence for the operator. */
  help: string;
}

/**
 * Every setting of the gateway. `.env.example` and docs/settings.md are generated from this table. A `secret` or
 * `secrets` setting may also be given as `<NAME>_FILE`: the path of a file that holds it, one value a line.
 */
export const SETTINGS = [
  {
    name: 'NODE_ENV',
    kind: 'text',
    default: 'development',
    help: 'With `production`, secrets must be given and no demonstration account is made.',
  },
  { name: 'PORT', kind: 'port', default: '8080', help: 'The port of the public listener; 0 takes any free port.' },
  { name: 'HOST', kind: 'text', default: '127.0.0.1', help: 'The address that the listeners bind to.' },
  {
    name: 'WAYPOST_PUBLIC_URL',
    kind: 'text',
    help: 'How the world reaches the gateway: the base of every address in answers. Default: `http://HOST:PORT`.',
  },
  {
    name: 'WAYPOST_DATA_DIR',
    kind: 'text',
    default: '.waypost',
    help: 'Where the embedded database, `dev.json` and secrets made at the first start are kept.',
  },
  {
    name: 'DATABASE_URL',
    kind: 'secret',
    help: 'A PostgreSQL 15 or newer. Without it an embedded one runs in the data folder.',
  },
  {
    name: 'WAYPOST_DATABASE_CONNECTIONS',
    kind: 'integer',
    default: '10',
    min: 4,
    max: 200,
    help: 'The most connections that one gateway opens to the database.',
  },
  {
    name: 'WAYPOST_PROVIDER_URL',
    kind: 'text',
    default: 'https://graph.facebook.com',
    help: 'Where live channels send to.',
  },
  { name: 'WAYPOST_PROVIDER_VERSION', kind: 'text', default: 'v25.0', help: "The version of the provider's API." },
  {
    name: 'WAYPOST_PROVIDER_TIMEOUT_MS',
    kind: 'integer',
    default: '10000',
    min: 100,
    max: 120_000,
    help: "How long one transmit may wait for the provider's whole answer.",
  },
  {
    name: 'WAYPOST_PROVIDER_CONNECTIONS',
    kind: 'integer',
    default: '64',
    min: 1,
    max: 1_000,
    help: 'The most connections that one gateway keeps open to the provider, and as many to the sandbox.',
  },
  {
    name: 'WAYPOST_SEND_DEADLINE_MS',
    kind: 'integer',
    default: '25000',
    min: 500,
    max: 120_000,
    help: 'The send answers within this time, whatever the provider does.',
  },
  {
    name: 'WAYPOST_SENDS_MAX',
    kind: 'integer',
    default: '2000',
    min: 1,
    max: 100_000,
    help: 'The most sends that one gateway carries out at once; the next one is answered 503.',
  },
  {
    name: 'WAYPOST_RATE_REQUESTS',
    kind: 'integer',
    default: '50',
    min: 1,
    max: 1_000_000,
    help: 'Requests a second that one key may make.',
  },
  {
    name: 'WAYPOST_RATE_RECIPIENTS',
    kind: 'integer',
    default: '500',
    min: 50,
    max: 10_000_000,
    help: 'Recipients a second that one key may send to.',
  },
  {
    name: 'WAYPOST_APP_SECRETS',
    kind: 'secrets',
    help: 'The app secrets that sign live notifications; the first is current.',
  },
  {
    name: 'WAYPOST_VERIFY_TOKENS',
    kind: 'secrets',
    help: "The tokens accepted in the provider's verification request; the first is current.",
  },
  {
    name: 'WAYPOST_PLATFORM_KEYS',
    kind: 'secrets',
    help: 'The keys of the platform API: `wp_root_` and at least 32 letters or digits; exactly these are valid.',
  },
  {
    name: 'WAYPOST_MASTER_KEY',
    kind: 'secret',
    help: '32 bytes in base64 that seal access tokens and endpoint secrets in the database.',
  },
  {
    name: 'WAYPOST_SANDBOX',
    kind: 'switch',
    default: 'on',
    help: "Whether test keys reach the sandbox; `off`: a test key's send is `no_channel`.",
  },
  {
    name: 'WAYPOST_SANDBOX_PORT',
    kind: 'port',
    default: '8081',
    help: 'The port of the sandbox, on loopback; 0 takes any free port.',
  },
  { name: 'WAYPOST_SANDBOX_APP_SECRET', kind: 'secret', help: "The secret that signs the sandbox's notifications." },
  {
    name: 'WAYPOST_METRICS_PORT',
    kind: 'text',
    default: '9464',
    help: 'The port of the internal listener (health), on the same host; `off` for none, 0 for any free port.',
  },
  {
    name: 'WAYPOST_LOCAL_ENDPOINTS',
    kind: 'switch',
    help: 'Whether test endpoints may use http and loopback. Default: `on` if `HOST` is loopback and this is not production.',
  },
  {
    name: 'WAYPOST_LOG_LEVEL',
    kind: 'text',
    default: 'info',
    help: 'One of `trace`, `debug`, `info`, `warn`, `error`, `silent`.',
  },
  {
    name: 'WAYPOST_STOP_BUDGET_MS',
    kind: 'integer',
    default: '30000',
    min: 0,
    max: 600_000,
    help: 'How long a stop waits for what is in flight.',
  },
] as const satisfies readonly Setting[];

export type SettingName = (typeof SETTINGS)[number]['name'];

export interface Config {
  production: boolean;
  host: string;
  port: number;
  /** Without a final slash; undefined until the port is known. */
  publicUrl: string | undefined;
  dataDir: string;
  databaseUrl: string | undefined;
  databaseConnections: number;
  providerUrl: string;
  providerVersion: string;
  providerTimeoutMs: number;
  providerConnections: number;
  sendDeadlineMs: number;
  sendsMax: number;
  rateRequests: number;
  rateRecipients: number;
  sandbox: boolean;
  sandboxPort: number;
  /** undefined: no internal listener. */
  metricsPort: number | undefined;
  /** Whether test endpoints may use http and loopback. */
  localEndpoints: boolean;
  logLevel: string;
  stopBudgetMs: number;
  secrets: GivenSecrets;
}

/** The secrets that the settings give; what is missing is made by `completeSecrets`, outside production. */
export interface GivenSecrets {
  appSecrets: string[];
  verifyTokens: string[];
  platformKeys: string[];
  masterKey: string | undefined;
  sandboxAppSecret: string | undefined;
}

/** What is wrong with the settings, every fault at once, in words for the operator. */
export class ConfigError extends Error {
  constructor(faults: string[]) {
    super(`The settings are not valid:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];
const PLATFORM_KEY = /^wp_root_[A-Za-z0-9]{32,}$/;

/** Reads all settings. Throws a `ConfigError` that names every fault; secrets never stand in it. */
export function loadConfig(environment: Environment = process.env): Config {
  const faults: string[] = [];
  const read = reader(environment, faults);
  const production = read.text('NODE_ENV') === 'production';
  const metricsPort = read.text('WAYPOST_METRICS_PORT');
  const config: Config = {
    production,
    host: read.text('HOST'),
    port: read.integer('PORT'),
    publicUrl: read.url('WAYPOST_PUBLIC_URL'),
    dataDir: resolve(read.text('WAYPOST_DATA_DIR')),
    databaseUrl: read.secret('DATABASE_URL'),
    databaseConnections: read.integer('WAYPOST_DATABASE_CONNECTIONS'),
    providerUrl: read.url('WAYPOST_PROVIDER_URL') ?? '',
    providerVersion: read.text('WAYPOST_PROVIDER_VERSION'),
    providerTimeoutMs: read.integer('WAYPOST_PROVIDER_TIMEOUT_MS'),
    providerConnections: read.integer('WAYPOST_PROVIDER_CONNECTIONS'),
    sendDeadlineMs: read.integer('WAYPOST_SEND_DEADLINE_MS'),
    sendsMax: read.integer('WAYPOST_SENDS_MAX'),
    rateRequests: read.integer('WAYPOST_RATE_REQUESTS'),
    rateRecipients: read.integer('WAYPOST_RATE_RECIPIENTS'),
    sandbox: read.switch('WAYPOST_SANDBOX'),
    sandboxPort: read.integer('WAYPOST_SANDBOX_PORT'),
    localEndpoints: read.switch('WAYPOST_LOCAL_ENDPOINTS', !production && isLoopback(read.text('HOST'))),
    metricsPort: metricsPort === 'off' ? undefined : read.integer('WAYPOST_METRICS_PORT'),
    logLevel: read.text('WAYPOST_LOG_LEVEL'),
    stopBudgetMs: read.integer('WAYPOST_STOP_BUDGET_MS'),
    secrets: {
      appSecrets: read.secrets('WAYPOST_APP_SECRETS'),
      verifyTokens: read.secrets('WAYPOST_VERIFY_TOKENS'),
      platformKeys: read.secrets('WAYPOST_PLATFORM_KEYS'),
      masterKey: read.secret('WAYPOST_MASTER_KEY'),
      sandboxAppSecret: read.secret('WAYPOST_SANDBOX_APP_SECRET'),
    },
  };
  faults.push(...faultsOf(config));
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

function faultsOf(config: Config): string[] {
  const faults: string[] = [];
  const { appSecrets, verifyTokens, platformKeys, masterKey } = config.secrets;
  if (!LOG_LEVELS.includes(config.logLevel)) faults.push(`WAYPOST_LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}`);
  if (!/^v\d+\.\d+$/.test(config.providerVersion)) faults.push('WAYPOST_PROVIDER_VERSION must look like v25.0');
  if (platformKeys.some((key) => !PLATFORM_KEY.test(key)))
    faults.push('WAYPOST_PLATFORM_KEYS: each key must be wp_root_ and at least 32 letters or digits');
  if (masterKey !== undefined && Buffer.from(masterKey, 'base64').length !== 32)
    faults.push('WAYPOST_MASTER_KEY must be 32 bytes in base64');
  if (!config.production) return faults;
  if (appSecrets.length === 0) faults.push('WAYPOST_APP_SECRETS is missing, which production needs');
  if (verifyTokens.length === 0) faults.push('WAYPOST_VERIFY_TOKENS is missing, which production needs');
  if (platformKeys.length === 0) faults.push('WAYPOST_PLATFORM_KEYS is missing, which production needs');
  if (masterKey === undefined) faults.push('WAYPOST_MASTER_KEY is missing, which production needs');
  if (config.publicUrl === undefined) faults.push('WAYPOST_PUBLIC_URL is missing, which production needs');
  return faults;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

/** Reads single settings by the table and collects what is wrong with them. */
function reader(environment: Environment, faults: string[]) {
  const settings = new Map<string, Setting>(SETTINGS.map((setting) => [setting.name, setting]));
  const given = (name: SettingName) => environment[name]?.trim() || settings.get(name)?.default;
  return {
    text: (name: SettingName) => given(name) ?? '',
    switch(name: SettingName, fallback?: boolean) {
      const value = given(name);
      if (value === undefined && fallback !== undefined) return fallback;
      if (value !== 'on' && value !== 'off') faults.push(`${name} must be on or off`);
      return value === 'on';
    },
    integer(name: SettingName) {
      const { min = 0, max = 65_535 } = settings.get(name) ?? {};
      const text = given(name) ?? '';
      const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
      if (!(value >= min && value <= max)) faults.push(`${name} must be a whole number from ${min} to ${max}`);
      return value;
    },
    url(name: SettingName) {
      const text = given(name);
      if (text === undefined) return undefined;
      if (!URL.canParse(text) || !/^https?:/.test(text)) faults.push(`${name} must be an http or https address`);
      return text.replace(/\/+$/, '');
    },
    secret: (name: SettingName) => secretLines(environment, name, faults)[0],
    secrets: (name: SettingName) => secretLines(environment, name, faults).flatMap((line) => splitList(line)),
  };
}

function secretLines(environment: Environment, name: SettingName, faults: string[]): string[] {
  const direct = environment[name]?.trim();
  if (direct) return [direct];
  const path = environment[`${name}_FILE`]?.trim();
  if (!path) return [];
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  } catch (error) {
    faults.push(`${name}_FILE cannot be read: ${error instanceof Error ? error.message : 'unknown reason'}`);
    return [];
  }
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

import { resolve } from 'node:path';
import { databaseUrlFault } from './database-url.ts';
import { isInProc } from './kernel/in-proc.ts';
import type { KeepDays } from './kernel/keep.ts';
import type { TracesConfig } from './observe/traces.ts';
import { readTraces } from './read-traces.ts';
import { isMasterKey, isPlatformKey, isProxyUrl } from './secret-forms.ts';
import { type Environment, SettingReader } from './setting-reader.ts';
import type { SettingName } from './settings.ts';

export interface Config {
  production: boolean;
  host: string;
  port: number;
  /** Without a final slash; undefined until the port is known. */
  publicUrl: string | undefined;
  dataDir: string;
  databaseUrl: string | undefined;
  databaseConnections: number;
  databaseWaitMs: number;
  providerUrl: string;
  providerVersion: string;
  providerTimeoutMs: number;
  providerConnections: number;
  /** The HTTP proxy for calls of the provider and of customers' endpoints; undefined: they are direct. */
  proxyUrl: string | undefined;
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
  /** undefined: no traces. */
  traces: TracesConfig | undefined;
  stopBudgetMs: number;
  stopNoticeMs: number;
  keep: KeepDays;
  secrets: GivenSecrets;
}

/** The secrets in the settings. `completeSecrets` makes those that are missing; in production that is the sandbox's at most. */
export interface GivenSecrets {
  appSecrets: string[];
  verifyTokens: string[];
  platformKeys: string[];
  masterKey: string | undefined;
  sandboxAppSecret: string | undefined;
}

/** Every fault of the settings at once, in words for the operator. */
export class ConfigError extends Error {
  constructor(faults: string[]) {
    super(`The settings are not valid:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/** Whoever writes `Production` or `prod` means production, and must not get a start without secrets. */
const LIKE_PRODUCTION = /^prod/i;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

/** Reads all settings. Throws a `ConfigError` that names every fault; secrets never stand in it. */
export function loadConfig(environment: Environment = process.env): Config {
  const read = new SettingReader(environment);
  const { faults } = read;
  const nodeEnv = read.text('NODE_ENV');
  const production = nodeEnv === 'production';
  if (!production && LIKE_PRODUCTION.test(nodeEnv)) faults.push('NODE_ENV must be "production" where it means that');
  const metricsPort = read.text('WAYPOST_METRICS_PORT');
  const config: Config = {
    production,
    host: read.text('HOST'),
    port: read.integer('PORT'),
    publicUrl: read.openUrl('WAYPOST_PUBLIC_URL'),
    dataDir: resolve(read.text('WAYPOST_DATA_DIR')),
    databaseUrl: read.secret('DATABASE_URL'),
    databaseConnections: read.integer('WAYPOST_DATABASE_CONNECTIONS'),
    databaseWaitMs: read.integer('WAYPOST_DATABASE_WAIT_MS'),
    providerUrl: read.openUrl('WAYPOST_PROVIDER_URL') ?? '',
    providerVersion: read.text('WAYPOST_PROVIDER_VERSION'),
    providerTimeoutMs: read.integer('WAYPOST_PROVIDER_TIMEOUT_MS'),
    providerConnections: read.integer('WAYPOST_PROVIDER_CONNECTIONS'),
    proxyUrl: read.secret('WAYPOST_PROXY_URL'),
    sendDeadlineMs: read.integer('WAYPOST_SEND_DEADLINE_MS'),
    sendsMax: read.integer('WAYPOST_SENDS_MAX'),
    rateRequests: read.integer('WAYPOST_RATE_REQUESTS'),
    rateRecipients: read.integer('WAYPOST_RATE_RECIPIENTS'),
    sandbox: read.switch('WAYPOST_SANDBOX'),
    sandboxPort: read.integer('WAYPOST_SANDBOX_PORT'),
    localEndpoints: read.switch('WAYPOST_LOCAL_ENDPOINTS', !production && isLoopback(read.text('HOST'))),
    metricsPort: metricsPort === 'off' ? undefined : read.integer('WAYPOST_METRICS_PORT', ', or off'),
    logLevel: read.text('WAYPOST_LOG_LEVEL'),
    traces: readTraces(read),
    stopBudgetMs: read.integer('WAYPOST_STOP_BUDGET_MS'),
    stopNoticeMs: read.integer('WAYPOST_STOP_NOTICE_MS'),
    keep: {
      messages: read.integer('WAYPOST_KEEP_MESSAGES_DAYS'),
      content: read.integer('WAYPOST_KEEP_CONTENT_DAYS'),
      events: read.integer('WAYPOST_KEEP_EVENTS_DAYS'),
      notifications: read.integer('WAYPOST_KEEP_NOTIFICATIONS_DAYS'),
      setAside: read.integer('WAYPOST_KEEP_SET_ASIDE_DAYS'),
    },
    secrets: {
      appSecrets: read.secrets('WAYPOST_APP_SECRETS'),
      verifyTokens: read.secrets('WAYPOST_VERIFY_TOKENS'),
      platformKeys: read.secrets('WAYPOST_PLATFORM_KEYS'),
      masterKey: read.secret('WAYPOST_MASTER_KEY'),
      sandboxAppSecret: read.secret('WAYPOST_SANDBOX_APP_SECRET'),
    },
  };
  faults.push(...faultsOf(config));
  // What is wrong with a file has been said. What it should hold is not missing as well.
  const missing = production ? missingOf(config).filter((name) => !read.isInFile(name)) : [];
  faults.push(...missing.map((name) => `${name} is missing, which production needs`));
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

function faultsOf(config: Config): string[] {
  const faults: string[] = [];
  const { appSecrets, platformKeys, masterKey, sandboxAppSecret } = config.secrets;
  const databaseFault = databaseUrlFault(config.databaseUrl);
  if (databaseFault !== undefined) faults.push(databaseFault);
  if (isInProc(config.dataDir))
    faults.push('WAYPOST_DATA_DIR must be a folder that can be written to, and none in /proc');
  if (config.proxyUrl !== undefined && !isProxyUrl(config.proxyUrl))
    faults.push('WAYPOST_PROXY_URL must look like http://user:password@host:port, and have no path');
  if (!LOG_LEVELS.includes(config.logLevel)) faults.push(`WAYPOST_LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}`);
  if (!/^v\d+\.\d+$/.test(config.providerVersion)) faults.push('WAYPOST_PROVIDER_VERSION must look like v25.0');
  if (!platformKeys.every(isPlatformKey))
    faults.push('WAYPOST_PLATFORM_KEYS: each key must be wp_root_ and at least 32 letters or digits');
  if (masterKey !== undefined && !isMasterKey(masterKey)) faults.push('WAYPOST_MASTER_KEY must be 32 bytes in base64');
  if (sandboxAppSecret !== undefined && appSecrets.includes(sandboxAppSecret))
    faults.push('WAYPOST_SANDBOX_APP_SECRET must be none of the app secrets, with which the provider signs');
  // The budget begins with the signal. Such a notice would use it up before anything is finished.
  if (config.stopNoticeMs > 0 && config.stopNoticeMs >= config.stopBudgetMs)
    faults.push('WAYPOST_STOP_NOTICE_MS must be shorter than WAYPOST_STOP_BUDGET_MS, which includes it');
  return faults;
}

function missingOf({ secrets, publicUrl }: Config): SettingName[] {
  const needed: [SettingName, boolean][] = [
    ['WAYPOST_APP_SECRETS', secrets.appSecrets.length > 0],
    ['WAYPOST_VERIFY_TOKENS', secrets.verifyTokens.length > 0],
    ['WAYPOST_PLATFORM_KEYS', secrets.platformKeys.length > 0],
    ['WAYPOST_MASTER_KEY', secrets.masterKey !== undefined],
    ['WAYPOST_PUBLIC_URL', publicUrl !== undefined],
  ];
  return needed.flatMap(([name, isGiven]) => (isGiven ? [] : [name]));
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

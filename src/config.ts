import { readFileSync } from 'node:fs';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { resolve } from 'node:path';
import { errorCodeOf } from './kernel/error-code.ts';
import { isInProc } from './kernel/in-proc.ts';
import type { KeepDays } from './kernel/keep.ts';
import type { TracesConfig } from './observe/traces.ts';
import { SETTINGS, type Setting, type SettingName } from './settings.ts';

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

/** The secrets in the settings. Outside production `completeSecrets` makes those that are missing. */
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

type Environment = Readonly<Record<string, string | undefined>>;

/** Whoever writes `Production` or `prod` means production, and must not get a start without secrets. */
const LIKE_PRODUCTION = /^prod/i;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

/** Reads all settings. Throws a `ConfigError` that names every fault; secrets never stand in it. */
export function loadConfig(environment: Environment = process.env): Config {
  const faults: string[] = [];
  const read = reader(environment, faults);
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
    sendDeadlineMs: read.integer('WAYPOST_SEND_DEADLINE_MS'),
    sendsMax: read.integer('WAYPOST_SENDS_MAX'),
    rateRequests: read.integer('WAYPOST_RATE_REQUESTS'),
    rateRecipients: read.integer('WAYPOST_RATE_RECIPIENTS'),
    sandbox: read.switch('WAYPOST_SANDBOX'),
    sandboxPort: read.integer('WAYPOST_SANDBOX_PORT'),
    localEndpoints: read.switch('WAYPOST_LOCAL_ENDPOINTS', !production && isLoopback(read.text('HOST'))),
    metricsPort: metricsPort === 'off' ? undefined : read.integer('WAYPOST_METRICS_PORT', ', or off'),
    logLevel: read.text('WAYPOST_LOG_LEVEL'),
    traces: readTraces(read, faults),
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
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

function faultsOf(config: Config): string[] {
  const faults: string[] = [];
  const { appSecrets, verifyTokens, platformKeys, masterKey } = config.secrets;
  if (isInProc(config.dataDir))
    faults.push('WAYPOST_DATA_DIR must be a folder that can be written to, and none in /proc');
  if (!LOG_LEVELS.includes(config.logLevel)) faults.push(`WAYPOST_LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}`);
  if (!/^v\d+\.\d+$/.test(config.providerVersion)) faults.push('WAYPOST_PROVIDER_VERSION must look like v25.0');
  if (!platformKeys.every(isPlatformKey))
    faults.push('WAYPOST_PLATFORM_KEYS: each key must be wp_root_ and at least 32 letters or digits');
  if (masterKey !== undefined && !isMasterKey(masterKey)) faults.push('WAYPOST_MASTER_KEY must be 32 bytes in base64');
  // The budget begins with the signal. Such a notice would use it up before anything is finished.
  if (config.stopNoticeMs > 0 && config.stopNoticeMs >= config.stopBudgetMs)
    faults.push('WAYPOST_STOP_NOTICE_MS must be shorter than WAYPOST_STOP_BUDGET_MS, which includes it');
  if (!config.production) return faults;
  if (appSecrets.length === 0) faults.push('WAYPOST_APP_SECRETS is missing, which production needs');
  if (verifyTokens.length === 0) faults.push('WAYPOST_VERIFY_TOKENS is missing, which production needs');
  if (platformKeys.length === 0) faults.push('WAYPOST_PLATFORM_KEYS is missing, which production needs');
  if (masterKey === undefined) faults.push('WAYPOST_MASTER_KEY is missing, which production needs');
  if (config.publicUrl === undefined) faults.push('WAYPOST_PUBLIC_URL is missing, which production needs');
  return faults;
}

/** Whether a secret has the form of a platform key, in a setting or in `secrets.json`. */
export function isPlatformKey(secret: string): boolean {
  return /^wp_root_[A-Za-z0-9]{32,}$/.test(secret);
}

/**
 * Whether a secret has the form of a master key, in a setting or in `secrets.json`: 32 bytes in base64. The decoder alone
 * leaves out what it does not know and all that follows a `=`, so that a mistake would pass for a key.
 */
export function isMasterKey(secret: string): boolean {
  return /^[A-Za-z0-9+/]{43}=?$/.test(secret);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

const SAMPLERS = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [name, `parentbased_${name}`]);

function readTraces(read: ReturnType<typeof reader>, faults: string[]): TracesConfig | undefined {
  const wanted = read.text('WAYPOST_TRACES');
  const sampler = read.text('OTEL_TRACES_SAMPLER');
  const samplerRatio = Number(read.text('OTEL_TRACES_SAMPLER_ARG'));
  if (!['otlp', 'console', 'off'].includes(wanted)) faults.push('WAYPOST_TRACES must be otlp, console or off');
  if (!SAMPLERS.includes(sampler)) faults.push(`OTEL_TRACES_SAMPLER must be one of ${SAMPLERS.join(', ')}`);
  if (!(samplerRatio >= 0 && samplerRatio <= 1)) faults.push('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  const base = read.baseUrl('OTEL_EXPORTER_OTLP_ENDPOINT');
  const url = read.url('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? (base && `${base}/v1/traces`);
  const headers = readHeaders(read.secret('OTEL_EXPORTER_OTLP_HEADERS') ?? '', faults);
  const rest = { serviceName: read.text('OTEL_SERVICE_NAME'), sampler, samplerRatio };
  if (wanted === 'console') return { exporter: { kind: 'console' }, ...rest };
  return wanted === 'off' || url === undefined ? undefined : { exporter: { kind: 'otlp', url, headers }, ...rest };
}

/** Percent-encoded, so that a value may hold a comma: https://opentelemetry.io/docs/specs/otel/protocol/exporter/ */
function readHeaders(text: string, faults: string[]): Record<string, string> {
  const headers = splitList(text).map(readHeader);
  if (headers.includes(undefined))
    faults.push('OTEL_EXPORTER_OTLP_HEADERS must be name=value, percent-encoded and separated by commas');
  return Object.fromEntries(headers.filter((header) => header !== undefined));
}

function readHeader(pair: string): [name: string, value: string] | undefined {
  const [, name, encoded] = /^([^=\s]+)\s*=\s*(.*)$/.exec(pair) ?? [];
  if (name === undefined || encoded === undefined) return undefined;
  try {
    const value = decodeURIComponent(encoded);
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return [name, value];
  } catch {
    return undefined; // The error's own words quote the header, which is a secret.
  }
}

/** Reads single settings by the table, and adds what is wrong with them to the faults. */
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
    integer(name: SettingName, orElse = '') {
      const { min = 0, max = 65_535 } = settings.get(name) ?? {};
      const text = given(name) ?? '';
      const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
      if (!(value >= min && value <= max)) faults.push(`${name} must be a whole number from ${min} to ${max}${orElse}`);
      return value;
    },
    url(name: SettingName) {
      const text = given(name);
      if (text === undefined) return undefined;
      const url = URL.parse(text);
      if (url === null || !/^https?:$/.test(url.protocol)) faults.push(`${name} must be an http or https address`);
      // As it goes over a wire: a header cannot hold every letter that a person may write in a host or a path.
      return (url?.href ?? text).replace(/\/+$/, '');
    },
    /** An address that paths are appended to. Behind a query or a fragment they would be no path. */
    baseUrl(name: SettingName) {
      if (/[?#\s]/.test(given(name) ?? '')) faults.push(`${name} must have no query, fragment or space`);
      return this.url(name);
    },
    /** An address whose user and password would be shown to everybody, or sent to nobody. */
    openUrl(name: SettingName) {
      const url = URL.parse(given(name) ?? '');
      if (url !== null && url.username + url.password !== '') faults.push(`${name} must have no user or password`);
      return this.baseUrl(name);
    },
    secret(name: SettingName) {
      const [inFile] = secretLines(environment, name, faults);
      return environment[name]?.trim() || inFile;
    },
    secrets(name: SettingName) {
      const inFile = secretLines(environment, name, faults);
      return [...splitList(environment[name] ?? ''), ...inFile];
    },
  };
}

/** The lines of the file that `<NAME>_FILE` names, if it is given. A comma in a line is part of the secret. */
function secretLines(environment: Environment, name: SettingName, faults: string[]): string[] {
  const path = environment[`${name}_FILE`]?.trim();
  if (!path) return [];
  if (environment[name]?.trim()) faults.push(`${name} and ${name}_FILE are both given, and only one of them can count`);
  try {
    const lines = readFileSync(path, 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
    // Counted as not given, it would be made, or be the embedded database, where somebody meant to give one.
    if (lines.length === 0)
      faults.push(`${name}_FILE must be the path of a file with a value in it, and that is empty`);
    return lines;
  } catch (error) {
    // Not the error's own words: they quote the path, which may by mistake be the secret itself.
    const reason = errorCodeOf(error) ?? 'unknown reason';
    faults.push(`${name}_FILE must be the path of a file, and what it names cannot be read (${reason})`);
    return [];
  }
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

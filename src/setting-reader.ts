import { readFileSync } from 'node:fs';
import { errorCodeOf } from './kernel/error-code.ts';
import { SETTINGS, type Setting, type SettingName } from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const BY_NAME = new Map<string, Setting>(SETTINGS.map((setting) => [setting.name, setting]));

/** Kubernetes tells every program of a namespace where its services are: of one named `waypost-metrics`, by the name of a setting. */
const OF_SERVICE = /^(tcp|udp|sctp):\/\//;

/** Whether it is what Kubernetes says of a service, and nobody's setting. */
export function isOfService(name: string, value = ''): boolean {
  return name.endsWith('_PORT') && OF_SERVICE.test(value);
}

/** What is given for a setting; undefined if that is nothing. */
export function given(environment: Environment, name: string): string | undefined {
  const value = environment[name]?.trim();
  return isOfService(name, value) ? undefined : value || undefined;
}

/** Reads single settings by the table, and gathers what is wrong with them. */
export class SettingReader {
  /** In words for the operator; secrets never stand in them. */
  readonly faults: string[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  text(name: SettingName): string {
    return this.#given(name) ?? '';
  }

  switch(name: SettingName, fallback?: boolean): boolean {
    const value = this.#given(name);
    if (value === undefined && fallback !== undefined) return fallback;
    if (value !== 'on' && value !== 'off') this.faults.push(`${name} must be on or off`);
    return value === 'on';
  }

  /** `orElse`: what else may be given, for the sentence about a fault. */
  integer(name: SettingName, orElse = ''): number {
    const { min = 0, max = 65_535 } = BY_NAME.get(name) ?? {};
    const text = this.text(name);
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max))
      this.faults.push(`${name} must be a whole number from ${min} to ${max}${orElse}`);
    return value;
  }

  url(name: SettingName): string | undefined {
    const text = this.#given(name);
    if (text === undefined) return undefined;
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol)) this.faults.push(`${name} must be an http or https address`);
    // As it goes over a wire: a header cannot hold every letter that a person may write in a host or a path.
    return (url?.href ?? text).replace(/\/+$/, '');
  }

  /** An address that paths are appended to. Behind a query or a fragment they would be no path. */
  baseUrl(name: SettingName): string | undefined {
    if (/[?#\s]/.test(this.text(name))) this.faults.push(`${name} must have no query, fragment or space`);
    return this.url(name);
  }

  /** An address whose user and password would be shown to everybody, or sent to nobody. */
  openUrl(name: SettingName): string | undefined {
    const url = URL.parse(this.text(name));
    if (url !== null && url.username + url.password !== '') this.faults.push(`${name} must have no user or password`);
    return this.baseUrl(name);
  }

  secret(name: SettingName): string | undefined {
    const [inFile] = this.#linesOfFile(name);
    return this.#environment[name]?.trim() || inFile;
  }

  secrets(name: SettingName): string[] {
    const inFile = this.#linesOfFile(name);
    return [...splitList(this.#environment[name] ?? ''), ...inFile];
  }

  /** Whether `<NAME>_FILE` is given. */
  isInFile(name: SettingName): boolean {
    return Boolean(this.#environment[`${name}_FILE`]?.trim());
  }

  #given(name: SettingName): string | undefined {
    return given(this.#environment, name) ?? BY_NAME.get(name)?.default;
  }

  /** The lines of the file that `<NAME>_FILE` names, if it is given. A comma in a line is part of the secret. */
  #linesOfFile(name: SettingName): string[] {
    const path = this.#environment[`${name}_FILE`]?.trim();
    if (!path) return [];
    if (this.#environment[name]?.trim())
      this.faults.push(`${name} and ${name}_FILE are both given, and only one of them can count`);
    try {
      const lines = readFileSync(path, 'utf8')
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
      // Counted as not given, it would be made, or be the embedded database, where somebody meant to give one.
      if (lines.length === 0)
        this.faults.push(`${name}_FILE must be the path of a file with a value in it, and that is empty`);
      return lines;
    } catch (error) {
      // Not the error's own words: they quote the path, which may by mistake be the secret itself.
      const reason = errorCodeOf(error) ?? 'unknown reason';
      this.faults.push(`${name}_FILE must be the path of a file, and what it names cannot be read (${reason})`);
      return [];
    }
  }
}

/** The pieces of a list that is separated by commas. */
export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

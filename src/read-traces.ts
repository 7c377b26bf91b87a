import { nodeHttp } from './kernel/node-http.ts';
import type { TracesConfig } from './observe/traces.ts';
import { type SettingReader, splitList } from './setting-reader.ts';

const SAMPLERS = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [name, `parentbased_${name}`]);

/** Where traces go, by the settings of the OpenTelemetry standard. undefined: there are none. */
export function readTraces(read: SettingReader): TracesConfig | undefined {
  const { faults } = read;
  const wanted = read.text('WAYPOST_TRACES');
  const sampler = read.text('OTEL_TRACES_SAMPLER');
  const samplerRatio = Number(read.text('OTEL_TRACES_SAMPLER_ARG'));
  if (!['otlp', 'console', 'off'].includes(wanted)) faults.push('WAYPOST_TRACES must be otlp, console or off');
  if (!SAMPLERS.includes(sampler)) faults.push(`OTEL_TRACES_SAMPLER must be one of ${SAMPLERS.join(', ')}`);
  if (!(samplerRatio >= 0 && samplerRatio <= 1)) faults.push('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  const base = read.baseUrl('OTEL_EXPORTER_OTLP_ENDPOINT');
  const url = read.url('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? (base && `${base}/v1/traces`);
  const headers = readHeaders(read);
  const rest = { serviceName: read.text('OTEL_SERVICE_NAME'), sampler, samplerRatio };
  if (wanted === 'console') return { exporter: { kind: 'console' }, ...rest };
  return wanted === 'off' || url === undefined ? undefined : { exporter: { kind: 'otlp', url, headers }, ...rest };
}

/** Percent-encoded, so that a value may hold a comma: https://opentelemetry.io/docs/specs/otel/protocol/exporter/ */
function readHeaders(read: SettingReader): Record<string, string> {
  const headers = splitList(read.secret('OTEL_EXPORTER_OTLP_HEADERS') ?? '').map(readHeader);
  if (headers.includes(undefined))
    read.faults.push('OTEL_EXPORTER_OTLP_HEADERS must be name=value, percent-encoded and separated by commas');
  return Object.fromEntries(headers.filter((header) => header !== undefined));
}

function readHeader(pair: string): [name: string, value: string] | undefined {
  const [, name, encoded] = /^([^=\s]+)\s*=\s*(.*)$/.exec(pair) ?? [];
  if (name === undefined || encoded === undefined) return undefined;
  try {
    const value = decodeURIComponent(encoded);
    nodeHttp.validateHeaderName(name);
    nodeHttp.validateHeaderValue(name, value);
    return [name, value];
  } catch {
    return undefined; // The error's own words quote the header, which is a secret.
  }
}

/** Where traces go, and which are kept. */
export interface TracesConfig {
  exporter: { kind: 'console' } | { kind: 'otlp'; url: string; headers: Record<string, string> };
  serviceName: string;
  /** A sampler's name of the OpenTelemetry standard, and its argument. */
  sampler: string;
  samplerRatio: number;
}

/** What may be told of a step: no body, number, key or address. */
export type Facts = Record<string, string | number | boolean>;
export type SpanKind = 'server' | 'client' | 'producer' | 'internal';

/** A step of a trace that is under way. */
export interface Span {
  /** Names this step to the ones that follow from it (W3C Trace Context). */
  traceparent: string;
  /** `failure`: a word for what went wrong. */
  end(facts?: Facts, failure?: string): void;
}

export interface Traces {
  /**
   * Begins a step. With a parent it belongs to its trace and is kept if that is; without one the sampler decides. `sinceMs`: the time
   * of day at which it has begun, unless that is now.
   */
  begin(name: string, kind: SpanKind, parent: string | undefined, known?: { facts?: Facts; sinceMs?: number }): Span;
  /** Sends what is left, and waits a little for it. */
  close(): Promise<void>;
}

/**
 * undefined: no exporter is configured, and the library behind it is not even loaded. `onLost` is told when a batch of
 * steps could not be exported.
 */
export async function createTraces(
  config: TracesConfig | undefined,
  version: string,
  onLost: () => void,
): Promise<Traces | undefined> {
  if (config === undefined) return undefined;
  const { startTraces } = await import('./open-telemetry.ts');
  return startTraces(config, version, onLost);
}

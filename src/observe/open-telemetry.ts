import { SpanKind as Kind, ROOT_CONTEXT, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { createConsoleExporter } from './console-exporter.ts';
import type { SpanKind, Traces, TracesConfig } from './traces.ts';

/** A collector that does not answer must not hold up the stop of the process. */
const EXPORT_TIMEOUT_MS = 3_000;

/** The library's code for it; its package is not one of ours. */
const EXPORTED = 0;

const KINDS: Record<SpanKind, Kind> = {
  server: Kind.SERVER,
  client: Kind.CLIENT,
  producer: Kind.PRODUCER,
  internal: Kind.INTERNAL,
};

/** Loaded only where traces are wanted: the library costs memory and time at the start. */
export function startTraces(config: TracesConfig, version: string, onLost: () => void): Traces {
  const exporter = tellingOfLoss(exporterOf(config), onLost);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': config.serviceName, 'service.version': version }),
    sampler: samplerOf(config),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: EXPORT_TIMEOUT_MS })],
  });
  const tracer = provider.getTracer('waypost', version);
  return {
    begin(name, kind, parent, { facts: attributes = {}, sinceMs } = {}) {
      const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, contextOf(parent));
      const startTime = sinceMs === undefined ? {} : { startTime: sinceMs };
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes, ...startTime }, context);
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
        end(facts, failure) {
          if (facts !== undefined) span.setAttributes(facts);
          if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
          span.end();
        },
      };
    },
    // What could not be exported was told to `onLost`, and must not keep the process from its orderly stop.
    close: () => provider.shutdown().catch(() => undefined),
  };
}

function contextOf(traceparent: string) {
  const [, traceId = '', spanId = '', flags = '00'] = traceparent.split('-');
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
}

/** The names of the standard: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
function samplerOf({ sampler, samplerRatio }: TracesConfig): Sampler {
  const root = rootSamplerOf(sampler.replace('parentbased_', ''), samplerRatio);
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function rootSamplerOf(name: string, ratio: number): Sampler {
  if (name === 'always_off') return new AlwaysOffSampler();
  return name === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler();
}

/** The library tells of it in its own log only, which nobody reads. */
function tellingOfLoss(exporter: SpanExporter, onLost: () => void): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code !== EXPORTED) onLost();
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

function exporterOf({ exporter }: TracesConfig) {
  if (exporter.kind === 'console') return createConsoleExporter();
  return new OTLPTraceExporter({ url: exporter.url, headers: exporter.headers, timeoutMillis: EXPORT_TIMEOUT_MS });
}

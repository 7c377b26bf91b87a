import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

/** Writes each step of a trace as one JSON line to standard error, for looking at traces without a collector. */
export function createConsoleExporter(): SpanExporter {
  return {
    export(spans, done) {
      for (const span of spans) process.stderr.write(`${JSON.stringify(lineOf(span))}\n`);
      done({ code: 0 });
    },
    async shutdown() {},
  };
}

function lineOf(span: ReadableSpan) {
  const { traceId, spanId } = span.spanContext();
  return {
    msg: 'trace.span',
    trace_id: traceId,
    span_id: spanId,
    parent_span_id: span.parentSpanContext?.spanId ?? null,
    name: span.name,
    time: new Date(inMs(span.startTime)).toISOString(),
    duration_ms: inMs(span.duration),
    failure: span.status.message ?? null,
    attributes: span.attributes,
  };
}

function inMs([seconds, nanos]: readonly [number, number]): number {
  return seconds * 1_000 + nanos / 1_000_000;
}

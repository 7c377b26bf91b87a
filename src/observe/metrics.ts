import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { type CallbackMetrics, createCallbackMetrics } from './callback-metrics.ts';
import { createDeliveryMetrics, type DeliveryMetrics } from './delivery-metrics.ts';
import { createHttpMetrics, type HttpMetrics } from './http-metrics.ts';
import { createLoops, type Loops } from './loops.ts';
import { addOpenFilesGauge } from './open-files-gauge.ts';
import { createSendMetrics, type SendMetrics } from './send-metrics.ts';
import { createStoreMetrics, type StoreMetrics } from './store-metrics.ts';

/** Everything that one gateway counts, as plain functions; only this folder knows the library behind them. */
export interface Metrics {
  http: HttpMetrics;
  sends: SendMetrics;
  callback: CallbackMetrics;
  deliveries: DeliveryMetrics;
  loops: Loops;
  store: StoreMetrics;
  /** Is told once which version runs, and asked at every scrape whether it takes work. */
  tellProcess(versions: { version: string; node: string }, accepting: () => boolean): void;
  /** All of it in the exposition format. What the process itself tells begins with the first scrape. */
  render(): Promise<{ contentType: string; text: string }>;
  /** Every metric of ours, for the page that lists them. */
  describe(): DescribedMetric[];
}

export interface DescribedMetric {
  name: string;
  kind: string;
  help: string;
  labels: string[];
}

/** Labels never hold what grows with use: no account, number, message or address. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const own = {
    http: createHttpMetrics(registry),
    sends: createSendMetrics(registry),
    callback: createCallbackMetrics(registry),
    deliveries: createDeliveryMetrics(registry),
    loops: createLoops(registry),
    store: createStoreMetrics(registry),
    tellProcess: createProcessMetrics(registry),
  };
  let withProcess = false;
  return {
    ...own,
    async render() {
      // It watches the event loop and the garbage collection from then on, which nobody needs who never scrapes.
      if (!withProcess) collectDefaultMetrics({ register: registry });
      withProcess = true;
      await own.store.refresh();
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
    describe: () => registry.getMetricsAsArray().flatMap(describe),
  };
}

function createProcessMetrics(registry: Registry): Metrics['tellProcess'] {
  const registers = [registry];
  const build = new Gauge({
    name: 'waypost_build_info',
    help: 'Always 1; the labels say which version runs on which Node.',
    labelNames: ['version', 'node'],
    registers,
  });
  addOpenFilesGauge(registry);
  let accepting = () => false;
  new Gauge({
    name: 'waypost_accepting',
    help: 'Whether the node takes work: 1, or 0 before it is ready and while it refuses work at its stop.',
    registers,
    collect() {
      this.set(accepting() ? 1 : 0);
    },
  });
  return (versions, isAccepting) => {
    build.set(versions, 1);
    accepting = isAccepting;
  };
}

/** The library's types leave out what every metric of it has. */
function describe(metric: object): DescribedMetric[] {
  if (!('name' in metric && 'help' in metric && 'type' in metric && 'labelNames' in metric)) return [];
  const { name, help, type, labelNames } = metric;
  if (!String(name).startsWith('waypost_')) return [];
  const labels = Array.isArray(labelNames) ? labelNames.map(String) : [];
  return [{ name: String(name), kind: String(type), help: String(help), labels }];
}

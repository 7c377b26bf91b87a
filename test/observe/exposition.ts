import type { TestGateway } from '../support/gateway.ts';

/** One sample of a scrape. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface Scrape {
  /** The types by name, without the endings that histograms add. */
  types: Map<string, string>;
  samples: Sample[];
  /** The sum of the samples with this name and these labels. */
  sum(name: string, labels?: Record<string, string>): number;
}

const HELP = /^# HELP ([a-z_:][a-z0-9_:]*) \S.*$/;
const TYPE = /^# TYPE ([a-z_:][a-z0-9_:]*) (counter|gauge|histogram|summary)$/;
const SAMPLE = /^([a-z_:][a-z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-z_][a-z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/gy;
const VALUE = /^([+-]?\d+(\.\d+)?(e[+-]?\d+)?|[+-]Inf|Nan)$/;

/** Reads the exposition format 0.0.4. Throws at the first line that breaks it. */
export function readScrape(text: string): Scrape {
  const types = new Map<string, string>();
  const helped = new Set<string>();
  const seen = new Set<string>();
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const help = HELP.exec(line)?.[1];
    const [, typed, type] = TYPE.exec(line) ?? [];
    if (help !== undefined) helped.add(help);
    else if (typed !== undefined && type !== undefined) {
      if (types.has(typed) || !helped.has(typed)) throw new Error(`Typed twice, or without a help: ${line}`);
      types.set(typed, type);
    } else {
      const sample = readSample(line);
      if (seen.has(line.slice(0, line.lastIndexOf(' ')))) throw new Error(`Given twice: ${line}`);
      seen.add(line.slice(0, line.lastIndexOf(' ')));
      if (!types.has(baseName(sample.name, types))) throw new Error(`Not typed before: ${line}`);
      samples.push(sample);
    }
  }
  const sum = (name: string, labels: Record<string, string> = {}) =>
    samples
      .filter((one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value))
      .reduce((total, { value }) => total + value, 0);
  return { types, samples, sum };
}

function readSample(line: string): Sample {
  const [, name = '', inside = '', value = ''] = SAMPLE.exec(line) ?? [];
  const found = [...inside.matchAll(LABEL)];
  const length = found.reduce((total, [whole]) => total + whole.length, 0);
  if (name === '' || !VALUE.test(value) || length !== inside.length) throw new Error(`Not a sample: ${line}`);
  const labels = Object.fromEntries(found.map(([, key = '', text = '']) => [key, text]));
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) };
}

/** The name under which the type of a sample is given. */
export function baseName(name: string, types: ReadonlyMap<string, string>): string {
  const base = name.replace(/_(bucket|sum|count)$/, '');
  return types.has(name) ? name : base;
}

/** What a gateway would tell Prometheus now. */
export async function scrapeOf({ app }: Pick<TestGateway, 'app'>): Promise<Scrape> {
  return readScrape((await app.internalServer.inject({ url: '/metrics' })).body);
}

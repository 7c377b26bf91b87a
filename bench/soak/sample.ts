import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { percentile } from '../harness/figures.ts';
import { cpuSeconds, memoryNowMb } from '../harness/usage.ts';
import type { Minute } from './sender.ts';

/** The figures of one minute of the soak. A figure that the system does not have is NaN. */
export interface Sample {
  minute: number;
  sends: number;
  p50Ms: number;
  p99Ms: number;
  /** The mean over the minute. */
  memoryMb: number;
  heapMb: number;
  openFiles: number;
  databaseConnections: number;
  eventLoopLagMs: number;
  /** How long the oldest item of any queue is overdue. */
  queueLagSeconds: number;
  diskMb: number;
  /** In percent of one processor. */
  cpuPercent: { gateway: number; database: number };
}

export interface Watched {
  pid: number;
  metricsUrl: string;
  dataDir: string;
}

/** Looks at the gateway many times a minute, and makes one sample of these looks. */
export function createSampler({ pid, metricsUrl, dataDir }: Watched) {
  let memories: number[] = [];
  let number = 0;
  let cpuBefore = cpuSeconds(pid);
  let beforeMs = performance.now();
  return {
    look: () => void memories.push(memoryNowMb(pid) ?? Number.NaN),
    async sample({ sends, latenciesMs }: Minute): Promise<Sample> {
      const metrics = await (await request(metricsUrl)).body.text();
      const cpu = cpuSeconds(pid);
      const seconds = (performance.now() - beforeMs) / 1_000;
      const sample: Sample = {
        minute: ++number,
        sends,
        p50Ms: percentile(latenciesMs, 50),
        p99Ms: percentile(latenciesMs, 99),
        memoryMb: memories.reduce((sum, one) => sum + one, 0) / memories.length,
        heapMb: valuesOf(metrics, 'nodejs_heap_size_used_bytes').reduce(add, 0) / 2 ** 20,
        openFiles: countFiles(pid),
        databaseConnections: valuesOf(metrics, 'waypost_store_connections', /state="(?!awaited)/).reduce(add, 0),
        eventLoopLagMs: valuesOf(metrics, 'nodejs_eventloop_lag_p99_seconds').reduce(add, 0) * 1_000,
        queueLagSeconds: Math.max(0, ...valuesOf(metrics, 'waypost_queue_oldest_seconds')),
        diskMb: bytesIn(dataDir) / 2 ** 20,
        // When a process of the database ends, the processor time that it has used is no longer counted.
        cpuPercent: {
          gateway: (100 * (cpu.process - cpuBefore.process)) / seconds,
          database: Math.max(0, (100 * (cpu.database - cpuBefore.database)) / seconds),
        },
      };
      [memories, cpuBefore, beforeMs] = [[], cpu, performance.now()];
      return sample;
    },
  };
}

function valuesOf(metrics: string, name: string, labels = /./): number[] {
  return metrics
    .split('\n')
    .filter((line) => (line.startsWith(`${name} `) || line.startsWith(`${name}{`)) && labels.test(line))
    .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)));
}

function add(sum: number, value: number): number {
  return sum + value;
}

function countFiles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return Number.NaN; // Other systems have no `/proc`.
  }
}

function bytesIn(dir: string): number {
  return readdirSync(dir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + sizeOf(join(entry.parentPath, entry.name)), 0);
}

/** 0 if the file is gone: the database removes files while we look. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

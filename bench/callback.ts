import { type CallbackBench, startCallbackBench } from './callback-bench.ts';
import { checkStatuses, countEvents } from './check-statuses.ts';
import type { Cleanup } from './harness/cleanup.ts';
import {
  type Extent,
  type Figure,
  type FigureResult,
  type LoneResult,
  readAlone,
  readFigure,
} from './harness/compare.ts';
import type { Load } from './harness/load.ts';
import { postAll } from './harness/post-all.ts';
import { type CpuUsed, cpuSeconds, cpuSince, memoryNowMb, microsEach } from './harness/usage.ts';
import { waitUntil } from './harness/wait-until.ts';
import { measureVisible, type Visible } from './measure-visible.ts';
import { sendMessages } from './send-messages.ts';
import { type Step, statusPost } from './status-posts.ts';

const POSTERS = 64;
const STEPS: readonly Step[] = ['sent', 'delivered', 'read'];
/** How many messages go through all their steps for each second of a round. They take about as long as the round. */
const MESSAGES_A_SECOND = 2_000;
/** Each poll reads a page of each account. At every 20 ms the polls took a fifteenth of what was to be measured. */
const POLL_MS = 100;
/** A quarter of the statuses that must be applied in a second at full load. */
const MODERATE_PER_SECOND = 1_000;

export interface CallbackResult {
  compared: FigureResult[];
  alone: LoneResult[];
  /** Processor time for each status, in microseconds: until it was answered, and until it was applied. */
  cpuMicros: { answered: CpuUsed; applied: CpuUsed };
  /**
   * `lost`: statuses that their message does not show. `doubled`: those that it shows more than once, or that were announced more than
   * once.
   */
  lost: number;
  doubled: number;
  memoryMb: { start: number | undefined; end: number | undefined };
}

/** Measures the way from the provider's notification to the status that a customer sees. */
export async function benchCallback(
  cleanup: Cleanup,
  { rounds, roundMs, warmUpMs }: Extent,
  gatewayNodeOptions: string[],
): Promise<CallbackResult> {
  const bench = await startCallbackBench(cleanup, gatewayNodeOptions);
  await runRound(bench, warmUpMs);
  const startMb = memoryNowMb(bench.gatewayPid);
  const full: Round[] = [];
  for (let round = 0; round < rounds; round++) full.push(await runRound(bench, roundMs));
  const moderate: Visible[] = [];
  for (let round = 0; round < rounds; round++)
    moderate.push(await measureVisible(bench, { perSecond: MODERATE_PER_SECOND, durationMs: roundMs }));
  const endMb = memoryNowMb(bench.gatewayPid);
  await bench.api.close();
  const sum = (read: (one: { lost: number; doubled: number }) => number) =>
    [...full, ...moderate].reduce((all, one) => all + read(one), 0);
  return {
    compared: TAKEN.map((figure) => readFigure(figure, full)),
    alone: [
      ...readTaken(full),
      readAlone(
        `from answer to visible at ${MODERATE_PER_SECOND} a second: ms, p99`,
        moderate.map(({ p99Ms }) => p99Ms),
        { max: 250 },
      ),
    ],
    cpuMicros: { answered: cpuOf(full, 'answered'), applied: cpuOf(full, 'applied') },
    lost: sum(({ lost }) => lost),
    doubled: sum(({ doubled }) => doubled),
    memoryMb: { start: startMb, end: endMb },
  };
}

export interface Round {
  gateway: Load;
  baseline: Load;
  appliedPerSecond: number;
  cpu: { answered: CpuUsed; applied: CpuUsed };
  lost: number;
  doubled: number;
}

/**
 * Takes messages through all their steps, with one status in each notification, until the last one is applied. Then does the same with the
 * baseline.
 */
export async function runRound(bench: CallbackBench, durationMs: number): Promise<Round> {
  const { api, tenants, appSecret, gatewayPid } = bench;
  const messages = await sendMessages(api, tenants, (durationMs / 1_000) * MESSAGES_A_SECOND);
  const posts = STEPS.flatMap((step) => messages.map((message) => statusPost(appSecret, message, step)));
  const eventsBefore = await countEvents(api, tenants);

  const before = cpuSeconds(gatewayPid);
  const startMs = performance.now();
  const gateway = await postAll(bench.gatewayOrigin, posts, { callers: POSTERS });
  const answered = cpuSince(before, gatewayPid);
  await waitUntil(
    'every status is applied',
    async () => (await countEvents(api, tenants)) >= eventsBefore + posts.length,
    POLL_MS,
  );
  const appliedPerSecond = posts.length / ((performance.now() - startMs) / 1_000);
  const applied = cpuSince(before, gatewayPid);

  const { lost, doubled } = await checkStatuses(api, messages, STEPS);
  const announcedTwice = (await countEvents(api, tenants)) - eventsBefore - posts.length;
  const baseline = await postAll(bench.baselineOrigin, posts, { callers: POSTERS });
  return { gateway, baseline, appliedPerSecond, cpu: { answered, applied }, lost, doubled: doubled + announcedTwice };
}

export const perSecond = ({ requests, seconds }: Load) => requests / seconds;
const TAKEN: Figure[] = [
  {
    name: `notifications committed and answered, ${POSTERS} posters: a second`,
    of: perSecond,
    by: 'ratio',
    target: { min: 0.6 },
  },
];

function readTaken(rounds: readonly Round[]): LoneResult[] {
  const target = { min: 4_000 };
  return [
    readAlone(
      'notifications committed and answered: a second',
      rounds.map(({ gateway }) => perSecond(gateway)),
      target,
    ),
    readAlone(
      'statuses applied: a second',
      rounds.map(({ appliedPerSecond }) => appliedPerSecond),
      target,
    ),
  ];
}

function cpuOf(rounds: readonly Round[], until: keyof Round['cpu']): CpuUsed {
  const statuses = rounds.reduce((all, { gateway }) => all + gateway.requests, 0);
  return microsEach(
    rounds.map(({ cpu }) => cpu[until]),
    statuses,
  );
}

import { createDraw, type Draw } from './random.ts';

export const FAULT_KINDS = [
  'kill_gateway',
  'kill_while_stalled',
  'pause_gateway',
  'clock_jump',
  'kill_database',
  'restart_database',
  'crash_backend',
  'drop_connections',
  'cut_database',
  'stall_database',
  'full_disk',
  'lock_rows',
  'kill_sandbox',
  'pause_sandbox',
  'provider_away',
  'kill_receiver',
  'pause_receiver',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** Something that breaks for a while. */
export interface PlannedFault {
  kind: FaultKind;
  atMs: number;
  forMs: number;
  /** The place of the gateway that breaks, if a gateway does. */
  slot: number;
}

export interface PlannedSend {
  /** The idempotency key. */
  key: string;
  mode: 'test' | 'live';
  atMs: number;
  /** The body, which is sent byte for byte at every repetition. */
  body: string;
}

/** A notification that does not come from the sandbox: a text from a person, or something that cannot be applied. */
export interface PlannedPosting {
  kind: 'inbound' | 'stray' | 'rubbish';
  atMs: number;
  id: string;
  copies: number;
}

/** Everything that is decided before a run. It is the same for the same seed. */
export interface Plan {
  seed: number;
  gateways: number;
  loadMs: number;
  clockShiftMs: number;
  /** How long the sandbox takes for a transmit. The longer it is, the more is under way when something breaks. */
  latencyMs: number;
  sends: PlannedSend[];
  postings: PlannedPosting[];
  faults: PlannedFault[];
}

interface Scale {
  loadMs: number;
  sends: number;
  postings: number;
  faultsMax: number;
  /** In long runs it is longer than a node's lease, so that others take a paused node for dead. */
  pauseMaxMs: number;
}

const SHORT: Scale = { loadMs: 2_500, sends: 36, postings: 12, faultsMax: 4, pauseMaxMs: 3_500 };
const LONG: Scale = { loadMs: 15_000, sends: 200, postings: 60, faultsMax: 8, pauseMaxMs: 20_000 };
/**
 * Longer than the time for which the answer to a send waits for its commit. So answers are sent from memory, and the kill then destroys
 * what only memory had.
 */
const STALL_BEFORE_KILL_MS = 5_000;
const RECIPIENTS_MAX = 50;
const CLOCK_SHIFTS_MS = [-26 * 3_600_000, -3_600_000, -90_000, -2_000, 2_000, 90_000, 3_600_000, 26 * 3_600_000];
/** Numbers of the sandbox whose course ends soon (docs/sandbox.md). */
const NUMBERS = [
  '+15550131026',
  '+15550131000',
  '+15551131026',
  ...['01', '02', '04', '05', '06', '07', '08', '09', '11', '12', '13', '14'].map((last) => `+155520000${last}`),
];

/** Draws a run with at least one fault. If there is no small disk to fill, the server is restarted instead. */
export function drawPlan(seed: number, { short, smallDisk }: { short: boolean; smallDisk: boolean }): Plan {
  const scale = short ? SHORT : LONG;
  const draw = createDraw(seed, 'plan');
  const gateways = draw.between(1, 3);
  return {
    seed,
    gateways,
    loadMs: scale.loadMs,
    clockShiftMs: draw.pick(CLOCK_SHIFTS_MS),
    latencyMs: draw.pick([0, 50, 200, 500]),
    sends: Array.from({ length: scale.sends }, (_, place) => drawSend(draw, place, scale)),
    postings: Array.from({ length: scale.postings }, (_, place) => drawPosting(draw, place, scale)),
    faults: drawFaults(draw, gateways, scale).map((fault) =>
      fault.kind === 'full_disk' && !smallDisk ? { ...fault, kind: 'restart_database' } : fault,
    ),
  };
}

function drawSend(draw: Draw, place: number, { loadMs }: Scale): PlannedSend {
  const size = draw.pick([1, 1, 1, 1, 1, 1, 3, 8, 8, RECIPIENTS_MAX]);
  const to = Array.from({ length: size }, (_, index) => drawNumber(draw, place * RECIPIENTS_MAX + index));
  const content = draw.chance(0.15)
    ? { type: 'template', template: { name: 'hello_world', language: 'en_US' } }
    : { type: 'text', text: { body: `Your parcel ${place} is here` } };
  return {
    key: `send-${place}`,
    mode: draw.chance(0.3) ? 'live' : 'test',
    atMs: draw.below(loadMs),
    body: JSON.stringify({ to: [...new Set(to)], ...content }),
  };
}

function drawNumber(draw: Draw, place: number): string {
  return draw.chance(0.12) ? draw.pick(NUMBERS) : `+15553${String(place).padStart(6, '0')}`;
}

function drawPosting(draw: Draw, place: number, { loadMs }: Scale): PlannedPosting {
  return {
    kind: draw.pick(['inbound', 'inbound', 'inbound', 'stray', 'rubbish']),
    atMs: draw.below(loadMs),
    id: `posting-${place}`,
    copies: draw.pick([1, 1, 2, 3]),
  };
}

function drawFaults(draw: Draw, gateways: number, scale: Scale): PlannedFault[] {
  // This draw once decided whether a run had faults at all. Without it every seed that was ever reported would now give another plan.
  draw.below(1);
  return Array.from({ length: draw.between(1, scale.faultsMax) }, () => {
    const kind = draw.pick(FAULT_KINDS);
    const forMs = draw.pick([100, 400, 1_000, scale.pauseMaxMs]);
    return {
      kind,
      atMs: draw.below(Math.round(scale.loadMs * 0.8)),
      forMs: kind === 'kill_while_stalled' ? STALL_BEFORE_KILL_MS : forMs,
      slot: draw.below(gateways),
    };
  }).sort((a, b) => a.atMs - b.atMs);
}

import type { Counts } from './counts.ts';
import type { Directory } from './directory.ts';
import type { Callbacks } from './notify/callbacks.ts';
import type { Notifier } from './notify/notifier.ts';
import type { Registry } from './registry.ts';
import type { Schedule } from './schedule.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { Transmits } from './transmits.ts';

/** What the routes share: all that the sandbox knows and remembers. */
export interface Context {
  appSecret: string;
  callbacks: Callbacks;
  directory: Directory;
  notifier: Notifier;
  registry: Registry;
  subscriptions: Subscriptions;
  transmits: Transmits;
  /** How often each message to a number that refuses the first transmits has been refused so far. */
  refusals: Counts;
  /** Answers that are held back; a reset leaves them alone. */
  answers: Schedule;
  /** What is still to be posted; a reset puts a new one in its place. */
  course: Schedule;
  latencyMs: number;
  postsStatuses: boolean;
  /** Whether it runs without a gateway: then no gateway has started it, and it ends with none. */
  isAlone: boolean;
}

import type { Mode, Scope } from '../../src/kernel/principal.ts';
import type { TestLine } from '../support/notifications.ts';

/** What the API must show after the calls so far, as the documentation has it. It knows nothing of how the gateway does it. */
export interface Model {
  accounts: ModelAccount[];
}

export interface ModelAccount {
  id: string;
  /** Its channel in each mode. It has one for tests from the beginning. */
  lines: Record<Mode, TestLine | undefined>;
  suspended: boolean;
  deleted: boolean;
  keys: ModelKey[];
  data: Record<Mode, ModelData>;
}

export interface ModelKey {
  id: string;
  secret: string;
  mode: Mode;
  /** undefined: all. */
  scopes: readonly Scope[] | undefined;
  /** It can be used no more, and is in no list. */
  revoked: boolean;
  /** It can be used no more. */
  expired: boolean;
  /** Another has taken its place. It cannot be rolled again. */
  rolled: boolean;
}

/** What an account has in one mode. Everything is in the order in which it was made. */
export interface ModelData {
  messages: ModelMessage[];
  requests: { id: string; refused: number; messageIds: string[] }[];
  /** By idempotency key. */
  answered: Map<string, { body: string; answer: string }>;
  events: ModelEvent[];
  endpoints: ModelEndpoint[];
  /** Who has written within the last day. */
  wroteLately: Set<string>;
  /** Who wants no marketing. */
  stopped: Set<string>;
}

export interface ModelMessage {
  id: string;
  direction: 'outbound' | 'inbound';
  /** The person. */
  person: string;
  clientReference: string | null;
  status: string;
  /** null: the provider has not told it yet. */
  providerId: string | null;
  /** The send itself was refused. */
  refused: boolean;
  /** How often the provider must have seen it: once, or never. */
  transmits: number;
  /** What notifications have told of it. */
  reported: Set<string>;
  /** Its statuses with their notes, in any order. */
  timeline: { status: string; note: string | null }[];
}

/** Those of templates and channels are left out: when the gateway reads from the provider is its own affair. */
export interface ModelEvent {
  type: string;
  /** Of the message that it tells of; undefined: it tells of something else. */
  messageId?: string;
}

export interface ModelEndpoint {
  id: string;
  /** The path at which its events arrive. */
  path: string;
  /** null: all. */
  types: readonly string[] | null;
  description: string | null;
  enabled: boolean;
  /** The places of the events in the account's list that must have come to the path, if it is enabled. */
  due: Set<number>;
  /** The places of those that may have come to any of its paths. */
  allowed: Set<number>;
}

export function emptyData(): ModelData {
  return {
    messages: [],
    requests: [],
    answered: new Map(),
    events: [],
    endpoints: [],
    wroteLately: new Set(),
    stopped: new Set(),
  };
}

/** Records an event, which every enabled endpoint that wants its type must get. */
export function record(data: ModelData, event: ModelEvent): void {
  data.events.push(event);
  const place = data.events.length - 1;
  for (const endpoint of data.endpoints.filter((one) => one.enabled && wants(one, event))) {
    endpoint.due.add(place);
    endpoint.allowed.add(place);
  }
}

export function wants({ types }: Pick<ModelEndpoint, 'types'>, { type }: ModelEvent): boolean {
  return types === null || types.includes(type);
}

/** The one that an index stands for, however few there are. */
export function pick<Item>(items: readonly Item[], index: number): Item | undefined {
  return items[index % items.length];
}

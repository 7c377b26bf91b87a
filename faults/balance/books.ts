/** One entry of a send's answer. */
export interface Entry {
  to: string;
  status: 'accepted' | 'failed' | 'unknown';
  id?: string;
  error?: { code: string };
}

/** An answer of 200 to a send. */
export interface SendAnswer {
  text: string;
  /** Whether the header `Idempotent-Replayed` was set. */
  replayed: boolean;
}

/** What a caller knows of one send. */
export interface SendRecord {
  key: string;
  /** Every 200 that the caller got, in order. The last two came when everything was quiet. */
  answers: SendAnswer[];
}

/** One transmit as the gate before the provider saw it. */
export interface Transmit {
  messageId: string;
  to: string;
  /** Whether the provider took it. `maybe`: the sandbox died before it said so. */
  taken: 'yes' | 'no' | 'maybe';
}

/** A status that was posted to the callback. */
export interface PostedStatus {
  /** Our id of the message, from the opaque member. */
  messageId: string;
  status: string;
  /** How often it was answered 200, and how often it was posted at all. */
  acknowledged: number;
  posted: number;
}

/** A body that was posted to the callback, by its hash. */
export interface PostedBody {
  sha256: string;
  kind: 'status' | 'inbound' | 'stray' | 'rubbish';
  acknowledged: number;
  posted: number;
}

/** A message as it is stored. */
export interface StoredMessage {
  id: string;
  account: string;
  direction: 'inbound' | 'outbound';
  status: string;
  outcome: string | null;
  providerMessageId: string | null;
}

/** A line of a message's timeline, without the send's outcome. */
export interface StoredReport {
  messageId: string;
  status: string;
  note: string | null;
}

/** An event as the feed shows it. */
export interface FedEvent {
  id: string;
  type: string;
  sequence: number;
  /** The id of the message that the event is about. */
  messageId: string | undefined;
  text: string;
}

/** The whole feed of an account and mode. */
export interface EventLog {
  account: string;
  latest: number;
  events: FedEvent[];
  /** The endpoint's secret, and what it got; undefined if the account has no endpoint. */
  endpoint: { secret: string; delivered: Delivered[] } | undefined;
}

/** One request at a customer's server. */
export interface Delivered {
  id: string;
  timestamp: string;
  signature: string;
  body: string;
}

/** Everything that is known when a run has come to rest: what was asked and answered outside, and what is stored. */
export interface Books {
  sends: SendRecord[];
  transmits: Transmit[];
  /** The number of transmits before and after every key was repeated once more at the end. */
  transmitsAtRest: { before: number; after: number };
  statuses: PostedStatus[];
  bodies: PostedBody[];
  /** The provider's ids of the texts from people that were acknowledged. */
  inboundIds: string[];
  messages: StoredMessage[];
  reports: StoredReport[];
  /** How many notifications are stored with a body of each hash, and in which state. */
  notifications: { sha256: string; state: string; count: number }[];
  logs: EventLog[];
  requestsRunning: number;
}

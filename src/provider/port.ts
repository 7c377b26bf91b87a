import type { Fault } from '../kernel/errors.ts';
import type { MessageError, MessageFault } from '../kernel/message-errors.ts';

/** The sender of a message: which number, by which access, and whether it is the real provider or the sandbox. */
export interface Sender {
  /** Connections are shared out by account, and whoever holds fewest comes first: many numbers do not get an account more of them. */
  accountId: string;
  phoneNumberId: string;
  accessToken: string;
  mode: 'live' | 'test';
}

/** A recipient as the provider is told: an E.164 number with its plus, or a business-scoped user id. */
export type ProviderRecipient = { phone: string } | { userId: string };

/** A template component in the provider's own shape. Known kinds are checked before; the rest is passed on. */
export type TemplateComponent = Record<string, unknown>;

export type MessageContent =
  | { type: 'text'; text: { body: string; preview_url: boolean } }
  | { type: 'template'; template: { name: string; language: string; components?: TemplateComponent[] } };

export interface OutboundMessage {
  /** Our id as a TypeID. It travels in the provider's opaque member and comes back with every status. */
  id: string;
  recipient: ProviderRecipient;
  content: MessageContent;
}

/**
 * What became of one transmit. The provider port returns it and never throws for what the world does.
 * - `accepted`: the provider took the message at that stage; it does not prove delivery.
 * - `refused`: the provider said no in its own words; certainly not taken, and repeating unchanged is of no use.
 * - `throttled`: certainly not taken; the same message may be transmitted again after a pause.
 * - `unknown`: some of the request may have been read and no clear answer came; it must never be transmitted again.
 */
export type TransmitOutcome =
  | { kind: 'accepted'; providerMessageId: string; held: boolean; providerUserId?: string }
  /** `accessRefused`: the provider refused the access token itself, so the channel is of no use until it is changed. */
  | { kind: 'refused'; error: MessageError; accessRefused: boolean }
  /** `unwritten`: not one byte went to the provider, so it has counted nothing. */
  | { kind: 'throttled'; error: MessageError; unwritten?: true }
  | { kind: 'unknown'; error: MessageError };

/** What the provider tells of a number, once it accepts our access to it. */
export interface SenderFacts {
  name: string | null;
  quality: string | null;
  throughputPerSecond: number | null;
  messagingLimit: string | null;
}

/**
 * What came of connecting a number, or of asking for its facts. `refused`: the number, the business account or the token
 * is wrong, by the provider's own words; `accessRefused`: it is the token; `unavailable`: it could not be asked.
 */
export type ConnectOutcome =
  | { kind: 'connected'; facts: SenderFacts }
  | { kind: 'refused'; detail: string; accessRefused: boolean }
  | { kind: 'unavailable' };

/**
 * Whether our app gets the notifications of a business account. `resubscribed`: it did not, and does again; `lost`: it does not, and could
 * not be subscribed; `untold`: the provider did not tell.
 */
export interface SubscriptionOutcome {
  kind: 'subscribed' | 'resubscribed' | 'lost' | 'untold';
}

/** What the provider tells of a template: one name in one language. Words are in lower case. */
export interface ProviderTemplate {
  /** The provider's id, with all its digits. */
  id: string;
  name: string;
  language: string;
  /** Such as `approved`, `pending`, `rejected`, `paused`, `disabled`. */
  status: string;
  /** `marketing`, `utility` or `authentication`. */
  category: string;
  parameterFormat: 'positional' | 'named';
  /** In the provider's own shapes. */
  components: readonly unknown[];
  quality: string | null;
}

/** Checks the form of template components as a caller gave them: these, untouched, or every fault. `pointer` says where they stand. */
export type CheckComponents = (
  components: unknown,
  pointer: string,
) => { components: TemplateComponent[] } | { faults: Fault[] };

/** Compares the components of a message with its template; no faults: they fit. `pointer` says where they stand. */
export type CheckAgainstTemplate = (
  template: Pick<ProviderTemplate, 'parameterFormat' | 'components'>,
  components: readonly TemplateComponent[],
  pointer: string,
) => MessageFault[];

/** `unavailable`: the provider could not be asked, or refused to tell; `accessRefused`: because of the token. */
export type TemplatesOutcome =
  | { kind: 'found'; templates: ProviderTemplate[] }
  | { kind: 'unavailable'; accessRefused: boolean };

/** A transmit that its deadline finds in flight is awaited for so long after the provider's time limit. A promise to customers. */
export const LATE_ANSWER_MS = 60_000;

/**
 * Called when a message that had to wait for a connection has got one, which it holds meanwhile. Tells the sender as it is by then;
 * undefined: the message must not go out. It never rejects.
 */
export type AfterWait = () => Promise<Sender | undefined>;

/** The provider in our words. */
export interface Provider {
  /**
   * Hands one message to the provider, once, and waits for its answer, for the provider's time limit at most.
   * `deadline` aborts when nothing may begin any more: a message whose first byte was not written by then is `throttled`
   * with `not_attempted`, and so is one that `afterWait` keeps back. One that is in flight then has `LATE_ANSWER_MS` more.
   */
  transmit(
    sender: Sender,
    message: OutboundMessage,
    deadline?: AbortSignal,
    afterWait?: AfterWait,
  ): Promise<TransmitOutcome>;
  /** Checks the number and the token, and subscribes our app to the business account's notifications. */
  connect(sender: Sender, businessAccountId: string): Promise<ConnectOutcome>;
  /** Asks for a number's facts again, and changes nothing at the provider. */
  readFacts(sender: Sender): Promise<ConnectOutcome>;
  /** Looks whether our app is still subscribed to the business account's notifications, and subscribes it again if it is not. */
  keepSubscribed(sender: Sender, businessAccountId: string): Promise<SubscriptionOutcome>;
  /** Reads all templates, page by page, or all languages of the one with exactly this name. Tells all pages or none. */
  listTemplates(sender: Sender, businessAccountId: string, name?: string): Promise<TemplatesOutcome>;
  /** Closes idle connections and waits for none. */
  close(): Promise<void>;
}

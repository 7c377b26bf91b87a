// The types of the API, made from docs/openapi.json by `npm run generate`.
// biome-ignore-all format: The generator has a form of its own.

/** A fact that was recorded for the account. `type` says which one. */
export type Event =
  | MessageAcceptedEvent
  | MessageSentEvent
  | MessageDeliveredEvent
  | MessageReadEvent
  | MessageFailedEvent
  | MessageUnknownEvent
  | MessageReceivedEvent
  | TemplateUpdatedEvent
  | ChannelUpdatedEvent
  | AccountUpdatedEvent
  | EndpointDisabledEvent;
/** One fault of a request. */
export type Fault = BodyFault | ParameterFault;
/** What is known of a message. `accepted` means that the provider took it at that stage; it does not prove delivery. A status never moves backwards. */
export type MessageStatus =
  'pending' | 'transmitting' | 'accepted' | 'sent' | 'delivered' | 'read' | 'failed' | 'unknown' | 'received';
/** What has become of one recipient so far. `sent`, `delivered` and `read` count as `accepted`. Once the person was erased, `to` is empty, and `message_id`, `user_id` and `client_reference` are left out. */
export type RequestEntry = AcceptedEntry | FailedEntry | UnknownEntry | RunningEntry;
/** What became of one recipient. */
export type ResultEntry = AcceptedEntry | FailedEntry | UnknownEntry;
/** What to send, and to whom. */
export type SendBody = TextSend | TemplateSend;
/** A recipient of a template, with its own members. */
export type TemplateRecipient = TemplateRecipientByNumber | TemplateRecipientByUserId;
/** A recipient of a text, with its own members. */
export type TextRecipient = TextRecipientByNumber | TextRecipientByUserId;
/** What was found of one recipient. */
export type ValidationEntry = ValidEntry | InvalidEntry;

/** The provider took the message. That does not prove delivery. */
export interface AcceptedEntry {
  /** The number in E.164 form, the user id, or the text as it was given where it cannot be read. */
  to: string;
  /** The user id, if the recipient was given by one. */
  user_id?: string;
  /** The recipient's own `client_reference`. */
  client_reference?: string;
  /** Our id of the message. Read it back by this id; events name it too. */
  id: string;
  /** The provider's id of the message; left out where the provider has given none. */
  message_id?: string;
  /** There if the provider has taken the message but holds it back for now. */
  held?: true;
  /** Always `accepted`: it tells this kind of entry from the others. */
  status: 'accepted';
}
/** A customer of the platform. */
export interface Account {
  /** The id of the account. */
  id: string;
  /** The name that the platform has given it. Two accounts may have the same. */
  name: string;
  /** Whether it is suspended: then its keys may read, and every other call is 403 `account_suspended`. */
  suspended: boolean;
  /** When it was created. */
  created_at: string;
}
/** The account was suspended or resumed. */
export interface AccountUpdatedEvent {
  /** The id of the event. It is the same on every delivery: drop the event if you have it already. */
  id: string;
  /** What kind of event it is. */
  type: 'account.updated';
  /** The number of the event. For each account and mode the numbers begin with 1, and none is left out. */
  sequence: number;
  /** When it was recorded. */
  timestamp: string;
  /** The account it belongs to. */
  account_id: string;
  /** What the event is about, as it was then. */
  data: {
    account: Account;
  };
}
/** One HTTP try of one event at one endpoint. */
export interface Attempt {
  /** The id of the attempt. */
  id: string;
  /** The id of the event that was posted. */
  event_id: string;
  /** The type of that event. */
  type: string;
  /** Which attempt at delivering the event to this endpoint it was, counted from 1. */
  number: number;
  /** When the attempt began. */
  at: string;
  /** How the attempt ended. Only a 2xx answer in time is a success. */
  outcome: 'succeeded' | 'failed';
  /** The HTTP status of the answer; null if there was none. */
  http_status: number | null;
  /** What went wrong, if it was something else than the status; null if nothing did. */
  error: ('timeout' | 'dns' | 'refused' | 'tls' | 'address_refused' | 'redirect' | 'too_large' | 'closed') | null;
  /** How long the attempt took, in milliseconds. */
  duration_ms: number;
  /** The first 2,048 bytes of the body of the answer; null if there was none. */
  answer: string | null;
  /** When the next attempt is due; null if there will be none. */
  next_at: string | null;
}
/** A fault of the body. */
export interface BodyFault {
  /** Where it is: a JSON Pointer as a URI fragment. */
  pointer: string;
  /** What is wrong with it, for a person to read. */
  detail: string;
}
/** Change an endpoint, or turn it on or off. */
export interface ChangeEndpointBody {
  /** The address to post events to, with `https`. */
  url?: string | undefined;
  /** The types of events that the endpoint wants. All types if this is null or left out. */
  types?:
    | readonly (
        | 'message.accepted'
        | 'message.sent'
        | 'message.delivered'
        | 'message.read'
        | 'message.failed'
        | 'message.unknown'
        | 'message.received'
        | 'template.updated'
        | 'channel.updated'
        | 'account.updated'
        | 'endpoint.disabled'
      )[]
    | null | undefined;
  /** What the endpoint is for, in your words. */
  description?: string | null | undefined;
  /** Whether events are delivered to the endpoint. */
  enabled?: boolean | undefined;
}
/** A phone number of the account. */
export interface Channel {
  /** The id of the channel. A send may give it as `from`. */
  id: string;
  /** Whether it belongs to the real provider or to the sandbox. */
  mode: 'live' | 'test';
  /** Its phone number in E.164 form. A send may give it as `from` too. */
  phone_number: string;
  /** The name that people see, as the provider has verified it. */
  name: string | null;
  /** Whether a send without `from` goes out from it. */
  default: boolean;
  /** Only a `connected` one sends. The provider refuses the token of a `suspended` one; a `removed` one is disconnected for good. */
  status: 'connected' | 'suspended' | 'removed';
  /** How people take its messages, as the provider rates it. */
  quality: string | null;
  /** How many messages a second the provider takes from it. */
  throughput_per_second: number;
  /** How many people it may write to first within 24 hours, in the provider's words, such as `tier_1k`. */
  messaging_limit: string | null;
  /** When something in it last changed, such as its quality. */
  updated_at: string;
}
/** A channel, and what the provider has just reported about limiting it. */
export interface ChannelInEvent {
  /** The id of the channel. A send may give it as `from`. */
  id: string;
  /** Whether it belongs to the real provider or to the sandbox. */
  mode: 'live' | 'test';
  /** Its phone number in E.164 form. A send may give it as `from` too. */
  phone_number: string;
  /** The name that people see, as the provider has verified it. */
  name: string | null;
  /** Whether a send without `from` goes out from it. */
  default: boolean;
  /** Only a `connected` one sends. The provider refuses the token of a `suspended` one; a `removed` one is disconnected for good. */
  status: 'connected' | 'suspended' | 'removed';
  /** How people take its messages, as the provider rates it. */
  quality: string | null;
  /** How many messages a second the provider takes from it. */
  throughput_per_second: number;
  /** How many people it may write to first within 24 hours, in the provider's words, such as `tier_1k`. */
  messaging_limit: string | null;
  /** When something in it last changed, such as its quality. */
  updated_at: string;
  restriction?: Restriction;
}
/** A channel changed, or the provider began or stopped limiting it. */
export interface ChannelUpdatedEvent {
  /** The id of the event. It is the same on every delivery: drop the event if you have it already. */
  id: string;
  /** What kind of event it is. */
  type: 'channel.updated';
  /** The number of the event. For each account and mode the numbers begin with 1, and none is left out. */
  sequence: number;
  /** When it was recorded. */
  timestamp: string;
  /** The account it belongs to. */
  account_id: string;
  /** What the event is about, as it was then. */
  data: {
    channel: ChannelInEvent;
  };
}
/** Find out what is wrong with a signature that you received. */
export interface CheckSignatureBody {
  /** The headers as they came; only the three of Standard Webhooks are looked at. */
  headers: {
    [k: string]: string | readonly string[] | undefined;
  };
  /** The body exactly as it came, as a text. */
  body: string;
}
/** Create an endpoint; its secret is shown once. */
export interface CreateEndpointBody {
  /** The address to post events to, with `https`. */
  url: string;
  /** The types of events that the endpoint wants. All types if this is null or left out. */
  types?:
    | readonly (
        | 'message.accepted'
        | 'message.sent'
        | 'message.delivered'
        | 'message.read'
        | 'message.failed'
        | 'message.unknown'
        | 'message.received'
        | 'template.updated'
        | 'channel.updated'
        | 'account.updated'
        | 'endpoint.disabled'
      )[]
    | null | undefined;
  /** What the endpoint is for, in your words. */
  description?: string | null | undefined;
}
/** The time from the making of a message to the report of its delivery. It is right to within about a tenth. */
export interface DeliveryTimes {
  /** Half of the delivered messages took at most this many milliseconds. */
  p50: number;
  /** 95 of 100 delivered messages took at most this many milliseconds. */
  p95: number;
}
/** A URL that wants events. */
export interface Endpoint {
  /** The id of the endpoint. */
  id: string;
  /** The address that events are posted to. */
  url: string;
  /** The types of events that the endpoint wants; null: all types. */
  types:
    | (
        | 'message.accepted'
        | 'message.sent'
        | 'message.delivered'
        | 'message.read'
        | 'message.failed'
        | 'message.unknown'
        | 'message.received'
        | 'template.updated'
        | 'channel.updated'
        | 'account.updated'
        | 'endpoint.disabled'
      )[]
    | null;
  /** What the endpoint is for, in your words. */
  description: string | null;
  /** Whether events are delivered to the endpoint. */
  enabled: boolean;
  /** Why it is not enabled: you turned it off, it answered 410, or it failed for 5 days. null: it is enabled. */
  disabled_reason: ('requested' | 'gone' | 'failing') | null;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}
/** An endpoint was disabled, because it answered 410 or has failed for too long. */
export interface EndpointDisabledEvent {
  /** The id of the event. It is the same on every delivery: drop the event if you have it already. */
  id: string;
  /** What kind of event it is. */
  type: 'endpoint.disabled';
  /** The number of the event. For each account and mode the numbers begin with 1, and none is left out. */
  sequence: number;
  /** When it was recorded. */
  timestamp: string;
  /** The account it belongs to. */
  account_id: string;
  /** What the event is about, as it was then. */
  data: {
    endpoint: Endpoint;
  };
}
/** A test event that you asked for. It is not in the log, and has no `sequence`. */
export interface EndpointTestEvent {
  /** The id of the event. It is the same on every delivery: drop the event if you have it already. */
  id: string;
  /** What kind of event it is. */
  type: 'endpoint.test';
  /** When it was recorded. */
  timestamp: string;
  /** The account it belongs to. */
  account_id: string;
  /** What the event is about, as it was then. */
  data: {
    endpoint: Endpoint;
  };
}
/** A new endpoint, with its secret. */
export interface EndpointWithSecret {
  /** The id of the endpoint. */
  id: string;
  /** The address that events are posted to. */
  url: string;
  /** The types of events that the endpoint wants; null: all types. */
  types:
    | (
        | 'message.accepted'
        | 'message.sent'
        | 'message.delivered'
        | 'message.read'
        | 'message.failed'
        | 'message.unknown'
        | 'message.received'
        | 'template.updated'
        | 'channel.updated'
        | 'account.updated'
        | 'endpoint.disabled'
      )[]
    | null;
  /** What the endpoint is for, in your words. */
  description: string | null;
  /** Whether events are delivered to the endpoint. */
  enabled: boolean;
  /** Why it is not enabled: you turned it off, it answered 410, or it failed for 5 days. null: it is enabled. */
  disabled_reason: ('requested' | 'gone' | 'failing') | null;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** The secret that signatures are made with: `whsec_` and 32 bytes in base64. It is shown this once. */
  secret: string;
}
/** A page of events, in their order. */
export interface EventPage {
  /** The events after the number that was asked for, in ascending order. */
  data: Event[];
  /** Always null. To read on, give the `sequence` of the last event as `after`. */
  next_cursor: null;
  /** The number of the oldest event that is still kept. Events between `after` and this one have expired. */
  oldest_sequence: number;
  /** The number of the latest event; 0 if there has been none. */
  latest_sequence: number;
}
/** The message was certainly not sent, or could not be delivered. */
export interface FailedEntry {
  /** The number in E.164 form, the user id, or the text as it was given where it cannot be read. */
  to: string;
  /** The user id, if the recipient was given by one. */
  user_id?: string;
  /** The recipient's own `client_reference`. */
  client_reference?: string;
  /** Our id of the message; left out for a recipient that cannot be read or is there twice, who gets none. */
  id?: string;
  /** The provider's id of the message; left out where the provider has given none. */
  message_id?: string;
  /** There if the provider has taken the message but holds it back for now. */
  held?: true;
  /** Always `failed`: it tells this kind of entry from the others. */
  status: 'failed';
  /** Why it is not `accepted`. */
  error: MessageError;
}
/** A send would not try it. */
export interface InvalidEntry {
  /** The number in E.164 form, the user id, or the text as it was given where it cannot be read. */
  to: string;
  /** The user id, if the recipient was given by one. */
  user_id?: string;
  /** The recipient's own `client_reference`. */
  client_reference?: string;
  /** Always `invalid`: it tells this kind of entry from the other. */
  status: 'invalid';
  /** Why it is `invalid`. */
  error: MessageError;
  /** What may go wrong, but does not make it `invalid`. */
  warnings?: ValidationWarning[];
}
/** One page of a list. */
export interface ListAttemptsAnswer {
  /** At most `limit` items. There may be fewer although more follow: `next_cursor` tells. */
  data: Attempt[];
  /** The `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}
/** One page of a list. */
export interface ListChannelsAnswer {
  /** At most `limit` items. There may be fewer although more follow: `next_cursor` tells. */
  data: Channel[];
  /** The `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}
/** One page of a list. */
export interface ListEndpointsAnswer {
  /** At most `limit` items. There may be fewer although more follow: `next_cursor` tells. */
  data: Endpoint[];
  /** The `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}
/** One page of a list. */
export interface ListMessagesAnswer {
  /** At most `limit` items. There may be fewer although more follow: `next_cursor` tells. */
  data: Message[];
  /** The `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}
/** One page of a list. */
export interface ListTemplatesAnswer {
  /** At most `limit` items. There may be fewer although more follow: `next_cursor` tells. */
  data: Template[];
  /** The `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}
/** A message. Its content is in the member named after `type`; inbound content is as the provider sent it, with the `errors`, `group_id`, `referral`, `referred_product`, `forwarded`, `frequently_forwarded` and `identity` of the message if there are any. */
export interface Message {
  /** Our id of the message. It is known from the send on, and events name the message by it. */
  id: string;
  /** The request that it was sent with; null for an inbound message. */
  request_id: string | null;
  /** The account it belongs to. */
  account_id: string;
  /** The channel it went out from, or came in to. */
  channel_id: string;
  /** Whether it went to a person or came from one. */
  direction: 'outbound' | 'inbound';
  /** The sender's number in E.164 form; null where the provider hides it. */
  from: string | null;
  /** The recipient's number in E.164 form; null where the provider hides it. */
  to: string | null;
  /** The person's business-scoped user id, where it is known. */
  user_id: string | null;
  /** What it holds. Outbound `text` or `template`; inbound also `image`, `button`, `reaction` and others. */
  type: string;
  /** The message that it answers. */
  reply_to: ReplyTo | null;
  /** What is known of it. */
  status: MessageStatus;
  /** The provider's id of it; null while the provider has given none. */
  message_id: string | null;
  /** The `client_reference` that was given with it. */
  client_reference: string | null;
  /** Whether the provider took it but held it back at first, such as while it judged a new template. It stays true. */
  held: boolean;
  /** Why it failed, or why its outcome is not known. */
  error: MessageError | null;
  /** What the provider reported about charging for it. */
  pricing: Pricing | null;
  /** When the service took it. */
  created_at: string;
  /** When something in it last changed, such as its status. */
  updated_at: string;
  /** Of an inbound message: what the person is called in WhatsApp, as the provider sent it: the `name`, and the `username` if there is one. */
  profile?: {
    [k: string]: unknown;
  } | null;
  /** There if `type` is `text`. */
  text?: TextContent | null;
  /** There if `type` is `template`. */
  template?: TemplateContent | null;
  /** Inbound `audio`, as the provider sent it. */
  audio?: unknown;
  /** Inbound `button`, as the provider sent it. */
  button?: unknown;
  /** Inbound `contacts`, as the provider sent it. */
  contacts?: unknown;
  /** Inbound `document`, as the provider sent it. */
  document?: unknown;
  /** Inbound `edit`, as the provider sent it. */
  edit?: unknown;
  /** Inbound `image`, as the provider sent it. */
  image?: unknown;
  /** Inbound `interactive`, as the provider sent it. */
  interactive?: unknown;
  /** Inbound `location`, as the provider sent it. */
  location?: unknown;
  /** Inbound `order`, as the provider sent it. */
  order?: unknown;
  /** Inbound `reaction`, as the provider sent it. */
  reaction?: unknown;
  /** Inbound `request_welcome`, as the provider sent it. */
  request_welcome?: unknown;
  /** Inbound `revoke`, as the provider sent it. */
  revoke?: unknown;
  /** Inbound `sticker`, as the provider sent it. */
  sticker?: unknown;
  /** Inbound `system`, as the provider sent it. */
  system?: unknown;
  /** Inbound `unsupported`, as the provider sent it. */
  unsupported?: unknown;
  /** Inbound `video`, as the provider sent it. */
  video?: unknown;
  /** Inbound content whose type has the name of another member, or that does not have the form described for its type. */
  content?: unknown;
  /** Present, and true, once the content is past the time it is kept; the content is null then. If the person was erased, it is null without this. */
  content_expired?: boolean;
}
/** The provider's answer to a send came after ours: it took the message. */
export interface MessageAcceptedEvent {
  /** The id of the event. It is the same on every delivery: drop the event if you have it already. */
  id: string;
  /** What kind of event it is. */
  type: 'message.accepted';
  /** The number of the event. For each account and mode the numbers begin with 1, and none is left out. */
  sequence: number;
  /** When it was recorded. */
  timestamp: string;
  /** The account it belongs to. */
  account_id: string;
  /** What the event is about, as it was then. */
  data: {
    message: MessageWithoutContent;
  };
}
/** The message arrived on the person's device. */
export interface MessageDeliveredEvent {
  /** The id of the event. It is the same on every delivery: drop the event if you have it already. */
  id: string;
  /** What kind of event it is. */
  type: 'message.delivered';
  /** The number of the event. For each account and mode the numbers begin with 1, and none is left out. */
  sequence: number;
  /** When it was recorded. */
  timestamp: string;
  /** The account it belongs to. */
  account_id: string;
  /** What the event is about, as it was then. */
  data: {
    message: MessageWithoutContent;
  };
}
/** Why one message failed, or is not known to have arrived. */
export interface MessageError {
  /** The word to decide by. */
  code:
    | 'invalid_recipient'
    | 'duplicate_recipient'
    | 'message_invalid'
    | 'window_closed'
    | 'template_not_found'
    | 'template_not_approved'
    | 'template_parameters_invalid'
    | 'template_text_too_long'
    | 'template_policy_violation'
    | 'template_paused'
    | 'template_disabled'
    | 'recipient_unreachable'
    | 'recipient_opted_out'
    | 'recipient_blocked'
    | 'recipient_not_allowed'
    | 'recipient_identity_unsupported'
    | 'experiment_holdout'
    | 'marketing_limited'
    | 'marketing_disabled'
    | 'pair_rate_limited'
    | 'throughput_limited'
    | 'sender_spam_limited'
    | 'sender_category_limited'
    | 'sender_unauthorized'
    | 'sender_suspended'
    | 'sender_unregistered'
    | 'sender_billing'
    | 'country_restricted'
    | 'provider_unavailable'
    | 'provider_error'
    | 'provider_rejected'
    | 'not_attempted'
    | 'outcome_unknown';
  /** What it means this time, for a person to read. */
  message: string;
  /** Who can mend it: the `caller` by another request, the `recipient`, the `sender` (the account, at the provider), the `provider`, or the `platform` (this gateway). */
  fault: 'caller' | 'recipient' | 'sender' | 'provider' | 'platform';
  /** Whether it is safe and sensible to send this message again unchanged. */
  retryable: boolean;
  /** How many seconds to wait before you send it again, if that is known. */
  retry_after_seconds?: number;
  /** What to do, for a person to read. */
  action: string;
  /** Where the faults inside the message are. */
  errors?: MessageFault[];
  provider?: ProviderError;
  /** The address of the error's page in the docs. */
  doc_url: string;
}
/** The message failed after the send was answered. */
export interface MessageFailedEvent {
  /** The id of the event. It is the same on every delivery: drop the event if you have it already. */
  id: string;
  /** What kind of event it is. */
  type: 'message.failed';
  /** The number of the event. For each account and mode the numbers begin with 1, and none is left out. */
  sequence: number;
  /** When it was recorded. */
  timestamp: string;
  /** The account it belongs to. */
  account_id: string;
  /** What the event is about, as it was then. */
  data: {
    message: MessageWithoutContent;
  };
}
/** A fault inside a message, such as a variable that does not fit the template. */
export interface MessageFault {
  /** Where it is: a JSON Pointer as a URI fragment. */
  pointer: string;
  /** What is wrong with it, for a person to read. */
  detail: string;
  /** What the template asks for. */
  expected?: string;
  /** What was given instead. */
  given?: string;
}
/** The person read the message. */
export interface MessageReadEvent {
  /** The id of the event. It is the same on every delivery: drop the event if you have it already. */
  id: string;
  /** What kind of event it is. */
  type: 'message.read';
  /** The number of the event. For each account and mode the numbers begin with 1, and none is left out. */
  sequence: number;
  /** When it was recorded. */
  timestamp: string;
  /** The account it belongs to. */
  account_id: string;
  /** What the event is about, as it was then. */
  data: {
    message: MessageWithoutContent;
  };
}
/** A person wrote a message. */
export interface MessageReceivedEvent {
  /** The id of the event. It is the same on every delivery: drop the event if you have it already. */
  id: string;
  /** What kind of event it is. */
  type: 'message.received';
  /** The number of the event. For each account and mode the numbers begin with 1, and none is left out. */
  sequence: number;
  /** When it was recorded. */
  timestamp: string;
  /** The account it belongs to. */
  account_id: string;
  /** What the event is about, as it was then. */
  data: {
    message: Message;
  };
}
/** The provider sent the message on. */
export interface MessageSentEvent {
  /** The id of the event. It is the same on every delivery: drop the event if you have it already. */
  id: string;
  /** What kind of event it is. */
  type: 'message.sent';
  /** The number of the event. For each account and mode the numbers begin with 1, and none is left out. */
  sequence: number;
  /** When it was recorded. */
  timestamp: string;
  /** The account it belongs to. */
  account_id: string;
  /** What the event is about, as it was then. */
  data: {
    message: MessageWithoutContent;
  };
}
/** Whether the provider took the message is not known. */
export interface MessageUnknownEvent {
  /** The id of the event. It is the same on every delivery: drop the event if you have it already. */
  id: string;
  /** What kind of event it is. */
  type: 'message.unknown';
  /** The number of the event. For each account and mode the numbers begin with 1, and none is left out. */
  sequence: number;
  /** When it was recorded. */
  timestamp: string;
  /** The account it belongs to. */
  account_id: string;
  /** What the event is about, as it was then. */
  data: {
    message: MessageWithoutContent;
  };
}
/** A message with its history. */
export interface MessageWithTimeline {
  /** Our id of the message. It is known from the send on, and events name the message by it. */
  id: string;
  /** The request that it was sent with; null for an inbound message. */
  request_id: string | null;
  /** The account it belongs to. */
  account_id: string;
  /** The channel it went out from, or came in to. */
  channel_id: string;
  /** Whether it went to a person or came from one. */
  direction: 'outbound' | 'inbound';
  /** The sender's number in E.164 form; null where the provider hides it. */
  from: string | null;
  /** The recipient's number in E.164 form; null where the provider hides it. */
  to: string | null;
  /** The person's business-scoped user id, where it is known. */
  user_id: string | null;
  /** What it holds. Outbound `text` or `template`; inbound also `image`, `button`, `reaction` and others. */
  type: string;
  /** The message that it answers. */
  reply_to: ReplyTo | null;
  /** What is known of it. */
  status: MessageStatus;
  /** The provider's id of it; null while the provider has given none. */
  message_id: string | null;
  /** The `client_reference` that was given with it. */
  client_reference: string | null;
  /** Whether the provider took it but held it back at first, such as while it judged a new template. It stays true. */
  held: boolean;
  /** Why it failed, or why its outcome is not known. */
  error: MessageError | null;
  /** What the provider reported about charging for it. */
  pricing: Pricing | null;
  /** When the service took it. */
  created_at: string;
  /** When something in it last changed, such as its status. */
  updated_at: string;
  /** Of an inbound message: what the person is called in WhatsApp, as the provider sent it: the `name`, and the `username` if there is one. */
  profile?: {
    [k: string]: unknown;
  } | null;
  /** There if `type` is `text`. */
  text?: TextContent | null;
  /** There if `type` is `template`. */
  template?: TemplateContent | null;
  /** Inbound `audio`, as the provider sent it. */
  audio?: unknown;
  /** Inbound `button`, as the provider sent it. */
  button?: unknown;
  /** Inbound `contacts`, as the provider sent it. */
  contacts?: unknown;
  /** Inbound `document`, as the provider sent it. */
  document?: unknown;
  /** Inbound `edit`, as the provider sent it. */
  edit?: unknown;
  /** Inbound `image`, as the provider sent it. */
  image?: unknown;
  /** Inbound `interactive`, as the provider sent it. */
  interactive?: unknown;
  /** Inbound `location`, as the provider sent it. */
  location?: unknown;
  /** Inbound `order`, as the provider sent it. */
  order?: unknown;
  /** Inbound `reaction`, as the provider sent it. */
  reaction?: unknown;
  /** Inbound `request_welcome`, as the provider sent it. */
  request_welcome?: unknown;
  /** Inbound `revoke`, as the provider sent it. */
  revoke?: unknown;
  /** Inbound `sticker`, as the provider sent it. */
  sticker?: unknown;
  /** Inbound `system`, as the provider sent it. */
  system?: unknown;
  /** Inbound `unsupported`, as the provider sent it. */
  unsupported?: unknown;
  /** Inbound `video`, as the provider sent it. */
  video?: unknown;
  /** Inbound content whose type has the name of another member, or that does not have the form described for its type. */
  content?: unknown;
  /** Present, and true, once the content is past the time it is kept; the content is null then. If the person was erased, it is null without this. */
  content_expired?: boolean;
  /** Everything that was reported about it, oldest first. It begins with the outcome of the send, or with `received`. */
  timeline: TimelineStep[];
}
/** A message as events tell of it. */
export interface MessageWithoutContent {
  /** Our id of the message. It is known from the send on, and events name the message by it. */
  id: string;
  /** The request that it was sent with; null for an inbound message. */
  request_id: string | null;
  /** The account it belongs to. */
  account_id: string;
  /** The channel it went out from, or came in to. */
  channel_id: string;
  /** Whether it went to a person or came from one. */
  direction: 'outbound' | 'inbound';
  /** The sender's number in E.164 form; null where the provider hides it. */
  from: string | null;
  /** The recipient's number in E.164 form; null where the provider hides it. */
  to: string | null;
  /** The person's business-scoped user id, where it is known. */
  user_id: string | null;
  /** What it holds. Outbound `text` or `template`; inbound also `image`, `button`, `reaction` and others. */
  type: string;
  /** The message that it answers. */
  reply_to: ReplyTo | null;
  /** What is known of it. */
  status: MessageStatus;
  /** The provider's id of it; null while the provider has given none. */
  message_id: string | null;
  /** The `client_reference` that was given with it. */
  client_reference: string | null;
  /** Whether the provider took it but held it back at first, such as while it judged a new template. It stays true. */
  held: boolean;
  /** Why it failed, or why its outcome is not known. */
  error: MessageError | null;
  /** What the provider reported about charging for it. */
  pricing: Pricing | null;
  /** When the service took it. */
  created_at: string;
  /** When something in it last changed, such as its status. */
  updated_at: string;
}
/** The account, and the key that this call was made with. */
export interface OwnAccount {
  /** The id of the account. */
  id: string;
  /** The name that the platform has given it. Two accounts may have the same. */
  name: string;
  /** Whether it belongs to the real provider or to the sandbox. */
  mode: 'live' | 'test';
  /** The key that this call was made with. */
  key: {
    /** The id of the key, which is no secret. The audit log says by it who made a change. */
    id: string;
    /** What it is for, in the words of whoever made it. */
    name: string;
    /**
     * What the key may do.
     *
     * Items: A scope.
     */
    scopes: (
      'messages:send' | 'messages:read' | 'events:read' | 'endpoints:manage' | 'templates:read' | 'channels:read'
    )[];
    /** When it stops being valid; null: never. */
    expires_at: string | null;
  };
}
/** A fault of the query or of a header. */
export interface ParameterFault {
  /** The name of the parameter, or of the header. */
  parameter: string;
  /** What is wrong with it, for a person to read. */
  detail: string;
}
/** What the provider reported about charging for a message. What it did not report is left out. */
export interface Pricing {
  /** Whether it is charged. */
  billable?: boolean;
  /** The pricing model, in the words of the provider. */
  model?: string;
  /** Why it is charged or free, in the words of the provider. */
  type?: string;
  /** The category it is charged as, such as `utility`. */
  category?: string;
}
/** An error by RFC 9457. `code` is stable and never changes its meaning. */
export interface Problem {
  /** The address of the error's page in the docs. */
  type: string;
  /** What the code means; the same for every occurrence. */
  title: string;
  /** The HTTP status, once more. */
  status: number;
  /** What is wrong this time, for a person to read. */
  detail: string;
  /** The word to decide by. */
  code:
    | 'bad_http'
    | 'malformed_json'
    | 'idempotency_key_invalid'
    | 'invalid_api_key'
    | 'invalid_signature'
    | 'insufficient_scope'
    | 'account_suspended'
    | 'verification_failed'
    | 'not_found'
    | 'method_not_allowed'
    | 'idempotency_in_flight'
    | 'channel_taken'
    | 'payload_too_large'
    | 'unsupported_media_type'
    | 'invalid_request'
    | 'too_many_recipients'
    | 'idempotency_mismatch'
    | 'no_channel'
    | 'unknown_channel'
    | 'channel_refused'
    | 'rate_limited'
    | 'internal_error'
    | 'unavailable';
  /** The id of this call, as in `x-request-id`: quote it when you ask for help. */
  request_id: string;
  /** Every fault of the request at once, where it has a place. */
  errors?: Fault[];
  /** Why no work is taken; only `/readyz` tells it. */
  reason?: 'starting' | 'stopping' | 'database';
}
/** What the provider said of it, without anything that identifies a person. What it did not say is left out. */
export interface ProviderError {
  /** Its error code, which its own documentation explains. */
  code?: number;
  /** Its short name for the error. */
  title?: string;
  /** Its explanation, often more exact than the title. */
  details?: string;
  /** The id of the call on its side, which its support asks for. */
  trace_id?: string;
}
/** What a replay has enqueued. */
export interface Replay {
  /** How many events are delivered once more. */
  count: number;
}
/** Deliver events once more: all after a sequence, or one. */
export interface ReplayEventsBody {
  /** Deliver all events after this number. */
  after_sequence?: number | undefined;
  /** Deliver this one event, named by its id. */
  event_id?: string | undefined;
}
/** The message that another one answers. */
export interface ReplyTo {
  /** Its id; null where it is not known here. */
  id: string | null;
  /** The provider's id of it. */
  message_id: string | null;
}
/** The aggregate answer of a request, as it would be given now. */
export interface RequestAnswer {
  /** The id of the request. */
  request_id: string;
  /** The account that sent it. */
  account_id: string;
  /** The `client_reference` of the request. */
  client_reference?: string;
  /** What was sent. */
  type: 'text' | 'template';
  /** How many the provider took. */
  accepted_count: number;
  /** How many certainly failed. */
  failed_count: number;
  /** How many may or may not have been taken. */
  unknown_count: number;
  /** One entry for every recipient, in the request's order. */
  results: RequestEntry[];
  /** How many are not settled yet. */
  pending_count: number;
  /** When the request came. */
  created_at: string;
  /** When all was settled; null while it runs. */
  completed_at: string | null;
}
/** Why the provider limits a business account, or that it stopped, in its own words in lower case. */
export interface Restriction {
  /** What happened, such as `account_restriction`. */
  event: string;
  /** What is not allowed now. */
  restrictions: RestrictionItem[];
  /** The ban that the event tells of; null if there is none. */
  ban: {
    /** Such as `schedule_for_disable`, `disable` or `reinstate`. */
    state: string;
    /** The date of the ban, as the provider writes it. */
    date: string | null;
  } | null;
  /** What kind of rule was violated, such as `adult`; null: none is named. */
  violation: string | null;
}
/** One thing that is not allowed now. */
export interface RestrictionItem {
  /** What is not allowed, such as `restricted_biz_initiated_messaging`. */
  type: string;
  /** An RFC 3339 time until which it is not allowed; null: the provider names none. */
  until: string | null;
}
/** Make a new secret; the old one signs too for a while. */
export interface RotateEndpointSecretBody {
  /** For how many seconds the old secret signs too; a day if this is left out. */
  overlap_seconds?: number | undefined;
}
/** The new secret of an endpoint. */
export interface RotatedSecret {
  /** The secret that signatures are made with: `whsec_` and 32 bytes in base64. It is shown this once. */
  secret: string;
  /** Until when the old secret signs too; null if it no longer signs. */
  previous_expires_at: string | null;
}
/** The message is not settled yet. */
export interface RunningEntry {
  /** The number in E.164 form, the user id, or the text as it was given where it cannot be read. */
  to: string;
  /** The user id, if the recipient was given by one. */
  user_id?: string;
  /** The recipient's own `client_reference`. */
  client_reference?: string;
  /** Our id of the message. Read it back by this id; events name it too. */
  id: string;
  /** The provider's id of the message; left out where the provider has given none. */
  message_id?: string;
  /** There if the provider has taken the message but holds it back for now. */
  held?: true;
  /** Whether it waits for its turn or is on its way. */
  status: 'pending' | 'transmitting';
}
/** What became of a send, recipient by recipient. The three counts add up to the length of `results`. */
export interface SendAnswer {
  /** The id of the request. */
  request_id: string;
  /** The account that sent it. */
  account_id: string;
  /** The `client_reference` of the request. */
  client_reference?: string;
  /** What was sent. */
  type: 'text' | 'template';
  /** How many the provider took. */
  accepted_count: number;
  /** How many certainly failed. */
  failed_count: number;
  /** How many may or may not have been taken. */
  unknown_count: number;
  /** One entry for every recipient, in the request's order. */
  results: ResultEntry[];
}
/** What is wrong with a signature, and never what would be right. */
export interface SignatureCheck {
  /** Whether the signature is right. */
  valid: boolean;
  /** Everything that is wrong. If the signature is right, the only thing can be that a secret was sent along with it. */
  problems: SignatureProblem[];
}
/** One thing that is wrong. */
export interface SignatureProblem {
  /** The word by which a program can decide. */
  code:
    | 'header_missing'
    | 'header_repeated'
    | 'timestamp_malformed'
    | 'timestamp_too_old'
    | 'timestamp_in_future'
    | 'signature_malformed'
    | 'signature_version_unknown'
    | 'secret_in_signature'
    | 'secret_not_decoded'
    | 'content_incomplete'
    | 'previous_secret'
    | 'body_changed'
    | 'signature_mismatch';
  /** What is wrong in this case, for a person to read. */
  detail: string;
}
/** What became of the messages that were made in a time, by the status that they have now. */
export interface Statistics {
  /** The beginning of the first bucket. */
  since: string;
  /** The end of the last bucket, which may be in the future. */
  until: string;
  /** How long each bucket is. A day begins at midnight UTC. */
  step: 'minute' | 'hour' | 'day';
  /** When the newest of these figures was counted; null if there are no figures. */
  computed_at: string | null;
  /** The counts of the whole range. */
  totals: StatisticsNumbers;
  /** The buckets in the order of time, also those without messages. */
  buckets: StatisticsBucket[];
  /**
   * The failed messages by their code, the most frequent first.
   *
   * Items: Messages that failed with the same error.
   */
  failures: {
    /** The code of the error. */
    code: string;
    /** How many messages failed with it. */
    count: number;
  }[];
}
/** The messages that were made in one minute, hour or day. */
export interface StatisticsBucket {
  /** The beginning of the bucket. */
  at: string;
  /** How many messages the provider has taken, whatever became of them. */
  accepted: number;
  /** How many messages are `sent`, `delivered` or `read`. */
  sent: number;
  /** How many messages are `delivered` or `read`. */
  delivered: number;
  /** How many messages are `read`. */
  read: number;
  /** How many messages are `failed`, at the send or later. */
  failed: number;
  /** How many messages are `unknown`. */
  unknown: number;
  /** How many messages came from people. */
  received: number;
  /** How long delivery took; null if no message was delivered. */
  to_delivery_ms: DeliveryTimes | null;
}
/** Counts of messages. */
export interface StatisticsNumbers {
  /** How many messages the provider has taken, whatever became of them. */
  accepted: number;
  /** How many messages are `sent`, `delivered` or `read`. */
  sent: number;
  /** How many messages are `delivered` or `read`. */
  delivered: number;
  /** How many messages are `read`. */
  read: number;
  /** How many messages are `failed`, at the send or later. */
  failed: number;
  /** How many messages are `unknown`. */
  unknown: number;
  /** How many messages came from people. */
  received: number;
  /** How long delivery took; null if no message was delivered. */
  to_delivery_ms: DeliveryTimes | null;
}
/** A message template of the provider, in one language. Its words are in lower case. */
export interface Template {
  /** Our id of the template, to read it by. A send names it by `name` and `language` instead. */
  id: string;
  /** What a send gives as `template.name`. All languages of a template share it. */
  name: string;
  /** What a send gives as `template.language`, such as `en_US`. Each language is an entry of its own. */
  language: string;
  /** Only an `approved` one is sent. Others are `pending`, `rejected`, `paused`, `disabled` and so on. */
  status: string;
  /** `utility`, `marketing` or `authentication`. */
  category: string;
  /** Whether its variables are numbered, as in `{{1}}`, or have names, as in `{{first_name}}`. */
  parameter_format: 'positional' | 'named';
  /** Its header, body, buttons and so on, in the provider's own shape. */
  components: {
    [k: string]: unknown;
  }[];
  /** How people take it, as the provider rates it. */
  quality: string | null;
  /** When the gateway last learned of a change. */
  updated_at: string;
}
/** A part of the template with its values. Known kinds are checked; everything else in it is passed on. */
export type TemplateComponent = {
  /** Such as `header`, `body`, `button`, `carousel`. */
  type: string;
  /** The kind of a button, such as `url` or `quick_reply`. */
  sub_type?: unknown;
  /** Which button it is: 0 to 9, as a number or a text. */
  index?: unknown;
  /** The values of the variables: objects such as `{"type": "text", "text": "Ada"}`. */
  parameters?: unknown;
  /** The cards of a carousel: objects with `card_index` and `components`. */
  cards?: unknown;
} & (object | { [k: string]: unknown });
/** The content of a template message. */
export interface TemplateContent {
  /** The name of the template, as the send gave it. */
  name: string;
  /** A code such as `en_US`, also where the send gave it as `{code}`. */
  language: string;
  /** The variables, in the provider's component shapes. */
  components?: {
    [k: string]: unknown;
  }[];
}
/** A language in the provider's shape. */
export interface TemplateLanguage {
  /** Such as `en_US`. */
  code: string;
}
/** A recipient by number. */
export interface TemplateRecipientByNumber {
  /** A number in international form. Spaces, dots, dashes and brackets are dropped; then it must be a plus and 7 to 15 digits. */
  to: string;
  /** A name of your own for it, which comes back in answers and events. */
  client_reference?: string | undefined;
  /** The values of the template's variables, in the provider's component shapes. */
  components?: readonly TemplateComponent[] | undefined;
}
/** A recipient by user id. */
export interface TemplateRecipientByUserId {
  /** A business-scoped user id. */
  user_id: string;
  /** A name of your own for it, which comes back in answers and events. */
  client_reference?: string | undefined;
  /** The values of the template's variables, in the provider's component shapes. */
  components?: readonly TemplateComponent[] | undefined;
}
/** A template to 1 to 50 recipients. */
export interface TemplateSend {
  /** The recipients, 1 to 50. A person who is in it twice gets one message. */
  to: string | readonly (string | TemplateRecipient)[];
  /** The id or the phone number of the channel to send from. Without it: the account's default. */
  from?: string | undefined;
  /** What is sent: the member of this name must be there. */
  type: 'template';
  /** An approved template with its values. It needs no open window: the person need not have written before. */
  template: TemplateToSend;
  /** A name of your own for it, which comes back in answers and events. */
  client_reference?: string | undefined;
}
/** What reading the templates has changed. */
export interface TemplateSync {
  /** How many were new. */
  added: number;
  /** How many were different. */
  changed: number;
  /** How many the provider no longer has. */
  removed: number;
  /** How many there are now, in all languages and statuses. */
  total: number;
}
/** A template as it is sent, with its values. */
export interface TemplateToSend {
  /** The name of an approved template. */
  name: string;
  /** The language, such as `en_US`. */
  language: string | TemplateLanguage;
  /** The values of the template's variables, in the provider's component shapes. */
  components?: readonly TemplateComponent[] | undefined;
}
/** A template changed, such as its status or its quality. */
export interface TemplateUpdatedEvent {
  /** The id of the event. It is the same on every delivery: drop the event if you have it already. */
  id: string;
  /** What kind of event it is. */
  type: 'template.updated';
  /** The number of the event. For each account and mode the numbers begin with 1, and none is left out. */
  sequence: number;
  /** When it was recorded. */
  timestamp: string;
  /** The account it belongs to. */
  account_id: string;
  /** What the event is about, as it was then. */
  data: {
    template: Template;
  };
}
/** The content of a text. */
export interface TextContent {
  /** What was written. */
  body?: string;
  /** Whether a preview of the first link is shown. */
  preview_url?: boolean;
  /** Inbound: the provider's id of the group that it was written in. */
  group_id?: string;
  /** Inbound: what the provider could not hand over, as it told it. */
  errors?: unknown[];
  /** Inbound: the ad or the post that the person came from, with its `ctwa_clid`. */
  referral?: {
    [k: string]: unknown;
  };
  /** Inbound: the product that it asks about. */
  referred_product?: {
    [k: string]: unknown;
  };
  /** Inbound: the person's new identity. */
  identity?: {
    [k: string]: unknown;
  };
  /** Inbound: whether the person has forwarded it. */
  forwarded?: boolean;
  /** Inbound: whether it has been forwarded many times. */
  frequently_forwarded?: boolean;
}
/** A recipient by number. */
export interface TextRecipientByNumber {
  /** A number in international form. Spaces, dots, dashes and brackets are dropped; then it must be a plus and 7 to 15 digits. */
  to: string;
  /** A name of your own for it, which comes back in answers and events. */
  client_reference?: string | undefined;
}
/** A recipient by user id. */
export interface TextRecipientByUserId {
  /** A business-scoped user id. */
  user_id: string;
  /** A name of your own for it, which comes back in answers and events. */
  client_reference?: string | undefined;
}
/** A text to 1 to 50 recipients. */
export interface TextSend {
  /** The recipients, 1 to 50. A person who is in it twice gets one message. */
  to: string | readonly (string | TextRecipient)[];
  /** The id or the phone number of the channel to send from. Without it: the account's default. */
  from?: string | undefined;
  /** What is sent: the member of this name must be there. */
  type: 'text';
  /** A free-form text. It reaches only people who have written or called within 24 hours. */
  text: TextToSend;
  /** A name of your own for it, which comes back in answers and events. */
  client_reference?: string | undefined;
}
/** A text as it is sent. */
export interface TextToSend {
  /** The text itself, counted in code points. */
  body: string;
  /** Whether to show a preview of the first link; false if left out. */
  preview_url?: boolean | undefined;
}
/** One step in the history of a message. */
export interface TimelineStep {
  /** What was reported, including words of the provider that change nothing here, such as `played`. */
  status: string;
  /** When it happened, as the one who reported it says. */
  at: string;
  /** When the service learned of it. */
  received_at: string;
  /** `late` if a later step had been reported before, `duplicate` if the same had been: then it changed nothing. Else null. */
  note: ('late' | 'duplicate') | null;
  /** Why it failed. */
  error: MessageError | null;
}
/** The message may have been sent. An event may settle it. */
export interface UnknownEntry {
  /** The number in E.164 form, the user id, or the text as it was given where it cannot be read. */
  to: string;
  /** The user id, if the recipient was given by one. */
  user_id?: string;
  /** The recipient's own `client_reference`. */
  client_reference?: string;
  /** Our id of the message. Read it back by this id; events name it too. */
  id: string;
  /** The provider's id of the message; left out where the provider has given none. */
  message_id?: string;
  /** There if the provider has taken the message but holds it back for now. */
  held?: true;
  /** Always `unknown`: it tells this kind of entry from the others. */
  status: 'unknown';
  /** Why it is not `accepted`. */
  error: MessageError;
}
/** A send would try it. */
export interface ValidEntry {
  /** The number in E.164 form, the user id, or the text as it was given where it cannot be read. */
  to: string;
  /** The user id, if the recipient was given by one. */
  user_id?: string;
  /** The recipient's own `client_reference`. */
  client_reference?: string;
  /** Always `valid`: it tells this kind of entry from the other. */
  status: 'valid';
  /** What may go wrong, but does not make it `invalid`. */
  warnings?: ValidationWarning[];
}
/** What a send would find out before it transmits. */
export interface ValidationAnswer {
  /** The account of the key. */
  account_id: string;
  /** The `client_reference` of the request. */
  client_reference?: string;
  /** What was sent. */
  type: 'text' | 'template';
  /** How many could be sent. */
  valid_count: number;
  /** How many could not. */
  invalid_count: number;
  /** One entry for every recipient, in order. */
  results: ValidationEntry[];
}
/** What may go wrong. */
export interface ValidationWarning {
  /** The word to decide by. */
  code: 'window_not_known';
  /** What it means this time, for a person to read. */
  detail: string;
}

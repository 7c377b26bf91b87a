import { isSeen } from '../parts/visible-marks.ts';
import { anything, type Decode, flag, list, membersOf, nullable, number, optional, record, text } from './decode.ts';

const fault = record({ pointer: optional(text), detail: text, expected: optional(text), given: optional(text) });

/** Why a message was not taken or did not arrive. */
export const messageError = record({
  code: text,
  message: text,
  fault: text,
  retryable: flag,
  retry_after_seconds: optional(number),
  action: optional(text),
  errors: optional(list(fault)),
  provider: optional(record({ code: nullable(anything), title: nullable(text), details: nullable(text) })),
  doc_url: optional(text),
});
export type MessageError = ReturnType<typeof messageError>;

const step = record({ status: text, at: text, received_at: text, note: nullable(text), error: nullable(messageError) });
export type TimelineStep = ReturnType<typeof step>;

/** What a person is called is passed on as the provider sent it. So whatever is no text, or cannot be seen, is taken for nothing, and is no fault. */
const name: Decode<string> = (value) => (typeof value === 'string' && isSeen(value) ? value.trim() : '');

const members = record({
  id: text,
  request_id: nullable(text),
  channel_id: text,
  direction: text,
  from: nullable(text),
  to: nullable(text),
  user_id: nullable(text),
  /** What a person who wrote is called. People choose both names themselves, and whether they look like those of somebody else. */
  profile: nullable(record({ name, username: name })),
  type: text,
  reply_to: nullable(record({ id: nullable(text), message_id: nullable(text) })),
  status: text,
  message_id: nullable(text),
  client_reference: nullable(text),
  held: flag,
  error: nullable(messageError),
  created_at: text,
  updated_at: text,
  content_expired: optional(flag),
  timeline: optional(list(step)),
});

/**
 * `content` is the member called so, where the one that is named after the type is not free for it, and otherwise that one. It is null once
 * its time is over or the platform has forgotten the person; it is undefined in events, which have none.
 */
export type Message = ReturnType<typeof members> & { content: unknown };

export const message: Decode<Message> = (value) => {
  const read = members(value);
  const all = membersOf(value);
  const name = ['content', read.type].find((one) => Object.hasOwn(all, one));
  return { ...read, content: name === undefined ? undefined : all[name] };
};

const entry = record({
  to: text,
  status: text,
  id: optional(text),
  message_id: optional(text),
  client_reference: optional(text),
  held: optional(flag),
  error: optional(messageError),
});
export type AnswerEntry = ReturnType<typeof entry>;

export const aggregateAnswer = record({
  request_id: text,
  client_reference: optional(text),
  type: text,
  accepted_count: number,
  failed_count: number,
  unknown_count: number,
  pending_count: optional(number),
  created_at: optional(text),
  completed_at: optional(text),
  results: list(entry),
});
export type AggregateAnswer = ReturnType<typeof aggregateAnswer>;

export const validation = record({
  type: text,
  valid_count: number,
  invalid_count: number,
  results: list(
    record({
      to: text,
      status: text,
      error: optional(messageError),
      warnings: optional(list(record({ code: text, detail: text }))),
    }),
  ),
});
export type Validation = ReturnType<typeof validation>;

export const event = record({
  id: text,
  type: text,
  sequence: number,
  timestamp: text,
  data: anything,
});
export type WaypostEvent = ReturnType<typeof event>;

export const eventPage = record({ data: list(event), oldest_sequence: number, latest_sequence: number });

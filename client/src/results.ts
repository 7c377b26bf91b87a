import type * as wire from './types.ts';

/** What became of a send, recipient by recipient; the three counts add up to the length of `results`. */
export type SendAnswer = Omit<wire.SendAnswer, 'results'> & {
  /** One entry for every recipient, in the request's order. */
  results: ResultEntry[];
};

/** The answer of a send as it would be given now. */
export type RequestAnswer = Omit<wire.RequestAnswer, 'results'> & { results: RequestEntry[] };

/** What a send would find out before it transmits; nothing was sent. */
export type ValidationAnswer = Omit<wire.ValidationAnswer, 'results'> & { results: ValidationEntry[] };

/** What became of one recipient: `switch (entry.status)` narrows it. */
export type ResultEntry = AcceptedEntry | FailedEntry | UnknownEntry;

/** What has become of one recipient so far. */
export type RequestEntry = ResultEntry | RunningEntry;

/** The provider took the message. That does not prove delivery; events report it. */
export type AcceptedEntry = wire.AcceptedEntry & { error?: never };

/** It was certainly not sent. Without an `id`, the recipient could not be read or was there twice. */
export type FailedEntry = wire.FailedEntry;

/** It may have been sent. Do not send it again without checking: an event may settle it. */
export type UnknownEntry = wire.UnknownEntry;

/** Its request is still running. */
export type RunningEntry = wire.RunningEntry & { error?: never };

/** What was found of one recipient: `switch (entry.status)` narrows it. */
export type ValidationEntry = (wire.ValidEntry & { error?: never }) | wire.InvalidEntry;

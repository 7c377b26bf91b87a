import type { TSchema } from 'typebox';
import type { ApiErrorCode } from '../kernel/errors.ts';

/** What the API description tells of a route beside its path, its key, and the schemas of its body and query. */
export interface Operation {
  /** One word in camelCase that no other operation has: generated clients name their methods after it. */
  id: string;
  tag: Tag;
  description: string;
  /** What each `:name` of the path is. */
  params?: Record<string, string>;
  /** Headers of the request that matter here, by name. */
  requestHeaders?: Record<string, DescribedHeader>;
  /** A body or query that the route checks by hand; else `bodySchema` and `querySchema` say it. */
  body?: TSchema;
  query?: TSchema;
  /** The answers that are no errors, by status. */
  answers: Record<number, DescribedAnswer>;
  /**
   * The errors that are its own. Those that follow from the route's shape (key, scope, suspension, rate, JSON, content
   * type, size, form of body and query, 404 for a path with an id, 500, 503) are added by themselves.
   */
  errors?: readonly ApiErrorCode[];
}

/** An answer; without a schema it has no body. Its example is the schema's own, unless it has another. */
export interface DescribedAnswer {
  description: string;
  schema?: TSchema;
  /** `application/json` unless told. */
  contentType?: string;
  example?: unknown;
  headers?: Record<string, DescribedHeader>;
}

export interface DescribedHeader {
  description: string;
  /** Whether a request must have it. */
  required?: boolean;
  schema: TSchema;
  example: string;
}

/** The groups of operations, in the order of the reference page, and what each is about. */
export const TAGS = {
  Messages: 'Sending messages, checking them before, and reading back what became of them.',
  Events:
    'What happened to messages and everything else, as events that are numbered without gaps: page by page, or as a stream.',
  Endpoints: "A customer's own URLs that events are delivered to, signed by Standard Webhooks.",
  Templates: 'The message templates that the provider has for the account.',
  Channels: 'The phone numbers that the account sends from.',
  Account: 'The account itself, as its key sees it.',
  'Platform: accounts': 'Customers of the platform and their keys. These calls need a platform key.',
  'Platform: channels': 'Connecting phone numbers to accounts. These calls need a platform key.',
  'Platform: operation': "For the operator: the provider's notifications, and who changed what.",
  Callback: 'The callback that the provider calls. Your programs do not need it.',
  Service: 'Whether the process lives and works, and what it can do.',
} as const;
export type Tag = keyof typeof TAGS;

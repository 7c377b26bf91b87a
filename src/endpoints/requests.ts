import { Type } from 'typebox';
import { EVENT_TYPES } from '../events/event.ts';
import { PAGE_QUERY } from '../http/page.ts';

const OVERLAP_SECONDS_MAX = 604_800;
/** A header given twice is an array; both are a mistake that the check tells of. */
const HEADERS = Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]));

const URL_TEXT = Type.String({ minLength: 1, maxLength: 2_000 });
const TYPES = Type.Union([
  Type.Array(Type.Enum([...EVENT_TYPES]), { minItems: 1, maxItems: EVENT_TYPES.length, uniqueItems: true }),
  Type.Null(),
]);
const DESCRIPTION = Type.Union([Type.String({ maxLength: 500 }), Type.Null()]);

/** The bodies and queries of the endpoint routes. */
export const CREATE_BODY = Type.Object(
  { url: URL_TEXT, types: Type.Optional(TYPES), description: Type.Optional(DESCRIPTION) },
  { additionalProperties: false },
);
export const PATCH_BODY = Type.Object(
  {
    url: Type.Optional(URL_TEXT),
    types: Type.Optional(TYPES),
    description: Type.Optional(DESCRIPTION),
    enabled: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export const ROTATE_BODY = Type.Object(
  { overlap_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: OVERLAP_SECONDS_MAX })) },
  { additionalProperties: false },
);
export const REPLAY_BODY = Type.Object(
  {
    after_sequence: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    event_id: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);
export const CHECK_BODY = Type.Object({ headers: HEADERS, body: Type.String() }, { additionalProperties: false });
export const NO_BODY = Type.Object({}, { additionalProperties: false });
export const LIST_QUERY = Type.Object(PAGE_QUERY, { additionalProperties: false });
export const ATTEMPTS_QUERY = Type.Object(
  {
    ...PAGE_QUERY,
    event_id: Type.Optional(Type.String({ description: 'Only the attempts of this event.' })),
    outcome: Type.Optional(Type.Enum(['succeeded', 'failed'])),
  },
  { additionalProperties: false },
);

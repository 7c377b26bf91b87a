import { TAGS } from '../operation.ts';
import type { Route } from '../route.ts';
import { SHARED_HEADERS } from './headers.ts';
import { type DescriptionParts, describeOperation } from './operation.ts';
import { createShared, type JsonObject, type Shared } from './schemas.ts';

const DESCRIPTION = `One API to send WhatsApp messages: never twice, never lost.

- JSON in UTF-8, in snake_case. Times are RFC 3339 in UTC with milliseconds.
- Send \`Authorization: Bearer <API_KEY>\`. A key sees only what is of its own mode, \`live\` or \`test\`.
- Unknown members of a body and unknown names in a query are refused, so that a typo never goes unnoticed.
- Clients ignore members of answers that they do not know: within a version there are only additions.
- Lists take \`limit\` and \`cursor\` and are newest first; events are oldest first.
- Every error is \`application/problem+json\`. Decide by its \`code\`. A 4xx or 503 means that this call transmitted nothing; after a 500 or a lost connection, repeat with the same \`Idempotency-Key\`.
- An unknown path is 404 \`not_found\`, and a known path with another method 405 \`method_not_allowed\` with \`Allow\`. Bytes that are not HTTP get 400, 408 or 431 with the code \`bad_http\`.
- Every answer has \`x-request-id\`, and every answer to a known account key \`RateLimit-Policy\` and \`RateLimit\`.`;

export interface ApiParts {
  routes: readonly Route[];
  /** The shared schemas of the slices, by their names. */
  schemas: Readonly<Record<string, unknown>>;
  /** What is posted to customers, by its name. */
  webhooks(shared: Shared): JsonObject;
  /** Without a final slash. */
  serverUrl: string;
}

/** The description of the API in OpenAPI 3.1, made of the routes. Pages for people are not in it. */
export function describeApi({ routes, schemas, webhooks, serverUrl }: ApiParts): JsonObject {
  const parts: DescriptionParts = { shared: createShared(schemas), errorAnswers: new Map() };
  const paths = describePaths(routes, parts);
  const posted = webhooks(parts.shared);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Waypost',
      version: 'v1',
      summary: 'An open messaging gateway',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl, description: 'This gateway.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: posted,
    components: {
      securitySchemes: {
        accountKey: {
          type: 'http',
          scheme: 'bearer',
          description: "An account's API key. Its scopes say what it may do; each operation names the one it needs.",
        },
        platformKey: {
          type: 'http',
          scheme: 'bearer',
          description: "A key of the platform's operator, from the settings. It is not for `/api/v1`.",
        },
      },
      headers: SHARED_HEADERS,
      responses: Object.fromEntries([...parts.errorAnswers].sort(([a], [b]) => (a < b ? -1 : 1))),
      schemas: parts.shared.all(),
    },
  };
}

function describePaths(routes: readonly Route[], parts: DescriptionParts): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) {
    const { operation } = route;
    if (operation === 'page') continue;
    const path = openApiPath(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeOperation(route, operation, parts) };
  }
  return paths;
}

/** `/messages/:id` is `/messages/{id}`. */
export function openApiPath(path: string): string {
  return path.replace(/:([a-z_]+)/g, '{$1}');
}

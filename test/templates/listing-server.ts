import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ListingServer {
  url: string;
  /** The queries of the calls so far. */
  queries: URLSearchParams[];
  /** How the next calls are answered. */
  answer: (query: URLSearchParams, request: IncomingMessage) => Promise<Listing> | Listing;
  close(): Promise<void>;
}

/** A `body` that is not a text is sent as JSON. */
export interface Listing {
  status?: number;
  body: unknown;
}

/** A provider that only tells what it is asked, such as templates or a number's facts, and records how it is asked. */
export async function startListingServer(): Promise<ListingServer> {
  const server = createServer(async (request, response) => {
    const query = new URL(request.url ?? '', 'http://provider').searchParams;
    listing.queries.push(query);
    const { status = 200, body } = await listing.answer(query, request);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A server that listens on TCP has one.
  const listing: ListingServer = {
    url: `http://127.0.0.1:${port}`,
    queries: [],
    answer: () => ({ body: { data: [] } }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return listing;
}

/** Cuts a list into pages as Graph does. Even the last page has a cursor. */
export function pageOf(list: readonly unknown[], query: URLSearchParams): Listing {
  const limit = Number(query.get('limit'));
  const start = Number(query.get('after') ?? 0);
  const end = start + limit;
  const next = end < list.length ? { next: 'https://graph.example/next' } : {};
  return { body: { data: list.slice(start, end), paging: { cursors: { after: String(end) }, ...next } } };
}

/** A template as the provider lists it. */
export function listed(name: string, more: object = {}): Record<string, unknown> {
  return {
    id: `1${name}`,
    name,
    language: 'en_US',
    status: 'APPROVED',
    category: 'UTILITY',
    parameter_format: 'POSITIONAL',
    components: [{ type: 'BODY', text: 'Hello {{1}}' }],
    quality_score: { score: 'GREEN' },
    ...more,
  };
}

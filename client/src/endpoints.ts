import type { Call, Http } from './http.ts';
import type { CallOptions } from './options.ts';
import { eachOf, type Page, type PageQuery } from './pages.ts';
import type {
  Attempt,
  ChangeEndpointBody,
  CheckSignatureBody,
  CreateEndpointBody,
  Endpoint,
  EndpointWithSecret,
  Replay,
  RotatedSecret,
  RotateEndpointSecretBody,
  SignatureCheck,
} from './types.ts';

export interface AttemptQuery extends PageQuery {
  /** Those of one event. */
  event_id?: string | undefined;
  outcome?: 'succeeded' | 'failed' | undefined;
}

export interface EndpointCalls {
  /** Makes an endpoint, which gets the events from now on. The secret is in this answer and never again: keep it. */
  create(endpoint: CreateEndpointBody, options?: CallOptions): Promise<EndpointWithSecret>;
  /** One endpoint, without its secret. */
  get(id: string, options?: CallOptions): Promise<Endpoint>;
  /** One page, newest first. */
  list(query?: PageQuery, options?: CallOptions): Promise<Page<Endpoint>>;
  /** All of them, newest first. A page is read when it is needed. */
  iterate(query?: PageQuery, options?: CallOptions): AsyncGenerator<Endpoint, void>;
  /** Changes the members that are given; null clears one. */
  update(id: string, changes: ChangeEndpointBody, options?: CallOptions): Promise<Endpoint>;
  /** Deletes the endpoint, with everything that is on its way to it. */
  delete(id: string, options?: CallOptions): Promise<void>;
  /** Makes a new secret. The old one signs too for a while. */
  rotateSecret(id: string, wish?: RotateEndpointSecretBody, options?: CallOptions): Promise<RotatedSecret>;
  /** Sends one `endpoint.test` and answers with the attempt. */
  test(id: string, options?: CallOptions): Promise<Attempt>;
  /** One page of the attempts, newest first. */
  attempts(id: string, query?: AttemptQuery, options?: CallOptions): Promise<Page<Attempt>>;
  /** All attempts, newest first. A page is read when it is needed. */
  iterateAttempts(id: string, query?: AttemptQuery, options?: CallOptions): AsyncGenerator<Attempt, void>;
  /** Sends recorded events once more, and returns how many. */
  replay(id: string, wish: { after_sequence: number } | { event_id: string }, options?: CallOptions): Promise<Replay>;
  /** Says what is wrong with a signature that was received, and never what would be right. */
  checkSignature(id: string, received: CheckSignatureBody, options?: CallOptions): Promise<SignatureCheck>;
}

const PATH = '/api/v1/endpoints';

/** After a lost connection only those calls are repeated that have the same effect when they are made twice. */
export function endpointCalls(http: Http): EndpointCalls {
  const once = <Body>(call: Omit<Call, 'repeatable'>) => http.call<Body>({ ...call, repeatable: 'refused' });
  const safely = <Body>(call: Omit<Call, 'repeatable'>) => http.call<Body>({ ...call, repeatable: 'always' });
  const list: EndpointCalls['list'] = (query = {}, { signal } = {}) =>
    http.read(PATH, 'data', { query: { ...query }, signal });
  const attempts: EndpointCalls['attempts'] = (id, query = {}, { signal } = {}) =>
    http.read(pathOf(id, '/attempts'), 'data', { query: { ...query }, signal });
  return {
    list,
    iterate: (query = {}, options) => eachOf(list, query, options),
    create: (body, { signal } = {}) => once({ method: 'POST', path: PATH, body, proof: 'id', signal }),
    get: (id, { signal } = {}) => http.read(pathOf(id), 'id', { signal }),
    update: (id, body, { signal } = {}) => safely({ method: 'PATCH', path: pathOf(id), body, proof: 'id', signal }),
    async delete(id, { signal } = {}) {
      await once({ method: 'DELETE', path: pathOf(id), proof: undefined, signal });
    },
    rotateSecret: (id, body = {}, { signal } = {}) =>
      once({ method: 'POST', path: pathOf(id, '/rotate-secret'), body, proof: 'secret', signal }),
    test: (id, { signal } = {}) => once({ method: 'POST', path: pathOf(id, '/test'), proof: 'id', signal }),
    attempts,
    iterateAttempts: (id, query = {}, options) => eachOf((page) => attempts(id, page, options), query, options),
    replay: (id, body, { signal } = {}) =>
      once({ method: 'POST', path: pathOf(id, '/replay'), body, proof: 'count', signal }),
    checkSignature: (id, body, { signal } = {}) =>
      safely({ method: 'POST', path: pathOf(id, '/check-signature'), body, proof: 'valid', signal }),
  };
}

function pathOf(id: string, rest = ''): string {
  return `${PATH}/${encodeURIComponent(id)}${rest}`;
}

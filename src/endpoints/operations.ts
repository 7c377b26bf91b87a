import { EXAMPLE } from '../http/examples.ts';
import type { Operation } from '../http/operation.ts';
import { listOf, ref } from '../http/schema-words.ts';
import { LOCATION } from '../http/shared-headers.ts';

const params = { id: `The id of the endpoint, such as \`${EXAMPLE.endpointId}\`.` };

/** How the API description tells of customers' endpoints. */
export const endpointOperations = {
  create: {
    id: 'createEndpoint',
    tag: 'Endpoints',
    description:
      "Creates an endpoint of the key's mode. It gets the events that are recorded from now on, signed by Standard Webhooks. Addresses that are not public are refused, when it is created or when it is called.",
    answers: {
      201: {
        description: 'The endpoint, with the secret that is shown this once.',
        schema: ref('EndpointWithSecret'),
        headers: { Location: LOCATION },
      },
    },
  },
  list: {
    id: 'listEndpoints',
    tag: 'Endpoints',
    description: "Lists the endpoints of the key's mode, without their secrets.",
    answers: { 200: { description: 'A page of endpoints.', schema: listOf('Endpoint') } },
  },
  read: {
    id: 'readEndpoint',
    tag: 'Endpoints',
    description: 'Reads one endpoint, without its secret.',
    params,
    answers: { 200: { description: 'The endpoint.', schema: ref('Endpoint') } },
  },
  change: {
    id: 'changeEndpoint',
    tag: 'Endpoints',
    description:
      'Changes what is named; `null` clears. Events that were recorded while it was not enabled come only by a replay.',
    params,
    answers: { 200: { description: 'The endpoint as it is now.', schema: ref('Endpoint') } },
  },
  remove: {
    id: 'deleteEndpoint',
    tag: 'Endpoints',
    description: 'Deletes an endpoint. What was on its way to it is no longer delivered.',
    params,
    answers: { 204: { description: 'It is gone.' } },
  },
  rotate: {
    id: 'rotateEndpointSecret',
    tag: 'Endpoints',
    description: 'Makes a new secret. Until the overlap ends, deliveries carry a signature of each.',
    params,
    answers: { 200: { description: 'The new secret, shown this once.', schema: ref('RotatedSecret') } },
  },
  test: {
    id: 'testEndpoint',
    tag: 'Endpoints',
    description: 'Posts an `endpoint.test` event once, enabled or not, and waits for the outcome.',
    params,
    answers: { 200: { description: 'The attempt, whatever came of it.', schema: ref('Attempt') } },
    errors: ['rate_limited'],
  },
  attempts: {
    id: 'listAttempts',
    tag: 'Endpoints',
    description: 'Lists the attempts at an endpoint, and what it answered.',
    params,
    answers: { 200: { description: 'A page of attempts.', schema: listOf('Attempt') } },
  },
  replay: {
    id: 'replayEvents',
    tag: 'Endpoints',
    description:
      'Delivers events once more: of the types of the endpoint, in their order, all after a number or one by its id. Give exactly one of the two.',
    params,
    answers: { 202: { description: 'They are enqueued.', schema: ref('Replay') } },
  },
  checkSignature: {
    id: 'checkSignature',
    tag: 'Endpoints',
    description:
      'Says why an event that you received does not verify. Give the headers and the body exactly as they came, the body as a text.',
    params,
    answers: { 200: { description: 'What was found.', schema: ref('SignatureCheck') } },
  },
} as const satisfies Record<string, Operation>;

import type { Operation } from './operation.ts';
import { ref } from './schema-words.ts';

/** How the API description tells of what balancers ask. */
export const healthOperations = {
  alive: {
    id: 'readHealth',
    tag: 'Service',
    description: 'Answers as long as the process lives, even while it stops.',
    answers: { 200: { description: 'The process is alive.', schema: ref('Health') } },
  },
  ready: {
    id: 'readReadiness',
    tag: 'Service',
    description: 'Whether a balancer should send calls here. It is not ready while it stops or cannot commit.',
    answers: {
      200: { description: 'It takes work.', schema: ref('Health'), example: { status: 'ready' } },
    },
    errors: ['unavailable'],
  },
} as const satisfies Record<string, Operation>;

import type { Operation } from '../http/operation.ts';
import { ref } from '../http/schema-words.ts';

/** How the API description tells of the platform's state. */
export const platformStateOperation: Operation = {
  id: 'getPlatformState',
  tag: 'Platform: operation',
  description:
    'Says which gateways run, what waits and since when. Nothing is counted beyond a thousand, so you may ask often.',
  answers: { 200: { description: 'The state.', schema: ref('PlatformState') } },
};

import type { Operation } from '../http/operation.ts';
import { ref } from '../http/schema-words.ts';

/** How the API description tells of the platform's state. */
export const platformStateOperation: Operation = {
  id: 'getPlatformState',
  tag: 'Platform: operation',
  description:
    'Tells who runs, what waits and since when. Nothing is counted beyond a thousand, so it may be asked often.',
  answers: { 200: { description: 'The state.', schema: ref('PlatformState') } },
};

import { type MessageFilter, NO_FILTER } from './message-list.ts';

/**
 * The filter of the list when it was left, so that somebody who comes back from a message finds the same list. It is not in the address,
 * because people's numbers do not belong in a browser's history.
 */
export const lastFilter: { value: MessageFilter; span: string } = { value: NO_FILTER, span: '' };

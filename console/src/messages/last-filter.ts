import { type MessageFilter, NO_FILTER } from './message-list.ts';

/**
 * What the list was filtered by when it was left, so that the way back from a message finds it as it was. It stands in
 * no address: people's numbers do not belong into a browser's history.
 */
export const lastFilter: { value: MessageFilter; span: string } = { value: NO_FILTER, span: '' };

import { type MessageFilter, NO_FILTER } from './message-list.ts';
import type { Messages } from './messages.svelte.ts';

/**
 * The list as it was left, so that somebody who comes back from a message finds the same list at the same place. Events go on coming into
 * it. Its filter is not in the address, because people's numbers do not belong in a browser's history.
 */
export const lastList = createLastList();

function createLastList() {
  let kept: { messages: Messages; end: () => void } | undefined;
  let first = NO_FILTER;
  return {
    /** The chosen span, of which the filter has only the beginning. */
    span: '',
    get filter(): MessageFilter {
      return kept?.messages.filter ?? first;
    },
    get messages(): Messages | undefined {
      return kept?.messages;
    },
    keep(messages: Messages): void {
      kept?.end();
      kept = { messages, end: messages.follow() };
    },
    /** Forgets the list. The next one begins with this filter. */
    forget(filter = NO_FILTER): void {
      kept?.end();
      kept = undefined;
      first = filter;
      this.span = '';
    },
  };
}

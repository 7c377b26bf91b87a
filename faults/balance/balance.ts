import type { Books } from './books.ts';
import { balanceDeliveries } from './deliveries.ts';
import { balanceEvents } from './events.ts';
import { balanceKeys } from './keys.ts';
import { balanceNotifications } from './notifications.ts';
import { balanceSends } from './sends.ts';
import { balanceStates } from './states.ts';

/** All that does not balance, a sentence each; none: nothing is lost, nothing is doubled. */
export function balance(books: Books): string[] {
  return [
    ...balanceSends(books),
    ...balanceKeys(books),
    ...balanceNotifications(books),
    ...balanceStates(books),
    ...balanceEvents(books),
    ...balanceDeliveries(books),
  ];
}

import type { Books } from './books.ts';
import { balanceDeliveries } from './deliveries.ts';
import { balanceEvents } from './events.ts';
import { balanceKeys } from './keys.ts';
import { balanceNotifications } from './notifications.ts';
import { balanceSends } from './sends.ts';
import { balanceStates } from './states.ts';

/** Everything that does not balance, with a sentence for each. If there is none, nothing was lost and nothing was doubled. */
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

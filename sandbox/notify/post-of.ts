import type { Context } from '../context.ts';
import type { Line } from '../directory.ts';
import type { Posted } from './notifier.ts';

/** Posts a notification of a line. It is lost if the app is subscribed to the line's business account no more: nobody is told of it later. */
export function postOf({ notifier, subscriptions }: Context, line: Line, notification: unknown): Posted {
  if (subscriptions.isLost(line.businessAccountId)) {
    return { tried: Promise.resolve(undefined), acknowledged: Promise.resolve() };
  }
  return notifier.post(notification);
}

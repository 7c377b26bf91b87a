import type { Seeded } from './seed.ts';

/** The path of a page, and what is on it once it is shown. */
type Shown = readonly [path: string, shown: string];

/** Every page of an account, also those of what is not there. A new page belongs in here, so that it is looked at as the others are. */
export const accountPages = ({ readId, failedId, requestId, endpointId }: Seeded): readonly Shown[] => [
  ['overview', '.chart'],
  ['messages', '.message-drawn .message-row'],
  [`messages/${readId}`, '.timeline li:nth-child(4)'],
  [`messages/${failedId}`, '.box.bad'],
  ['messages/msg_nothing', '.box.bad'],
  ['send', '.phone'],
  ['requests', '.cards'],
  [`requests/${requestId}`, '.cards'],
  ['endpoints', '.cards'],
  [`endpoints/${endpointId}`, '.cards'],
  ['templates', '.cards'],
  ['channels', '.cards'],
  ['nowhere', '.empty'],
];

/** Every page of the operator. */
export const operatorPages = ({ accountId }: Seeded): readonly Shown[] => [
  ['accounts', '.cards'],
  ['notifications', '.cards'],
  ['state', '.tiles'],
  ['audit', '.cards'],
  [`accounts/${accountId}`, '.cards:has(.mode)'],
];

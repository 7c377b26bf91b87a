import type { ConnectOutcome, Sender, SenderFacts } from '../../port.ts';
import { objectAt, textAt, wordAt } from '../decode/values.ts';
import { ask } from './ask.ts';
import type { Line } from './line.ts';
import { subscribe } from './subscribe.ts';

const FIELDS = 'id,verified_name,quality_rating,throughput,is_on_biz_app,whatsapp_business_manager_messaging_limit';

/** Messages a second. https://developers.facebook.com/documentation/business-messaging/whatsapp/throughput */
const THROUGHPUT_PER_SECOND: ReadonlyMap<unknown, number> = new Map([
  ['STANDARD', 80],
  ['HIGH', 1_000],
]);
/** Of a number that is used in the WhatsApp Business app too, whatever its level says. By the same page. */
const ON_APP_PER_SECOND = 20;

/**
 * Asks for the number, which proves number and token, then subscribes our app to the business account's notifications,
 * which proves the account. Both may be repeated at will.
 * https://developers.facebook.com/docs/whatsapp/business-management-api/manage-phone-numbers
 */
export async function connectSender(line: Line, sender: Sender, businessAccountId: string): Promise<ConnectOutcome> {
  const number = await askNumber(line, sender);
  if (number.kind !== 'told') return number;
  const subscription = await subscribe(line, sender, businessAccountId);
  if (subscription.kind !== 'subscribed') return subscription;
  return { kind: 'connected', facts: readFacts(number.json) };
}

/** Asks for the number only. */
export async function readSenderFacts(line: Line, sender: Sender): Promise<ConnectOutcome> {
  const number = await askNumber(line, sender);
  return number.kind === 'told' ? { kind: 'connected', facts: readFacts(number.json) } : number;
}

function askNumber(line: Line, sender: Sender) {
  return ask(line, { sender, method: 'GET', path: `/${encodeURIComponent(sender.phoneNumberId)}?fields=${FIELDS}` });
}

function readFacts(number: Record<string, unknown>): SenderFacts {
  const { level } = objectAt(number, 'throughput');
  const quality = wordAt(number, 'quality_rating') ?? null;
  return {
    name: textAt(number, 'verified_name') ?? null,
    // Both mean that nothing has been rated yet.
    quality: quality === 'na' || quality === 'unknown' ? null : quality,
    throughputPerSecond: number.is_on_biz_app === true ? ON_APP_PER_SECOND : (THROUGHPUT_PER_SECOND.get(level) ?? null),
    messagingLimit: wordAt(number, 'whatsapp_business_manager_messaging_limit') ?? null,
  };
}

import { Webhook } from 'standardwebhooks';
import type { Books, Delivered, EventLog } from './books.ts';

/** Every event must have reached the account's endpoint at least once, signed, and as the feed shows it. */
export function balanceDeliveries({ logs }: Books): string[] {
  return logs.flatMap(balanceLog);
}

function balanceLog({ account, events, endpoint }: EventLog): string[] {
  if (endpoint === undefined) return [];
  const { secret, delivered } = endpoint;
  const byId = Map.groupBy(delivered, ({ id }) => id);
  const known = new Map(events.map((event) => [event.id, event]));
  return [
    ...events
      .filter(({ id }) => !byId.has(id))
      .map(({ id, sequence }) => `Event ${sequence} of ${account} (${id}) never reached its endpoint`),
    ...[...byId.keys()].filter((id) => !known.has(id)).map((id) => `The endpoint got ${id}, which is in no log`),
    ...delivered.filter((one) => !isSigned(one, secret)).map(({ id }) => `${id} came with a wrong signature`),
    ...delivered.filter(({ id, body }) => !isSame(body, known.get(id)?.text)).map(({ id }) => `${id} came otherwise`),
  ];
}

/** Makes the signature again and compares. A verifier would refuse the time of a gateway whose clock has jumped. */
function isSigned({ id, timestamp, body, signature }: Delivered, secret: string): boolean {
  return signature.split(' ').includes(new Webhook(secret).sign(id, new Date(Number(timestamp) * 1_000), body));
}

/** An event that is not in the log is reported elsewhere. */
function isSame(body: string, text: string | undefined): boolean {
  return text === undefined || JSON.stringify(JSON.parse(body)) === text;
}

import type { Books, EventLog, FedEvent, PostedStatus, SendRecord, Transmit } from '../balance/books.ts';
import type { Posting } from '../gates/poster.ts';
import type { Plan } from '../plan.ts';
import { call, type RunAccount } from './accounts.ts';
import { readStored } from './read-store.ts';
import type { World } from './world.ts';

/** When a run has come to rest, reads everything that the balance needs. */
export async function readBooks(
  world: World,
  plan: Plan,
  sends: SendRecord[],
  transmitsAtRest: Books['transmitsAtRest'],
): Promise<Books> {
  const { callback, provider, accounts, db } = world;
  const statuses = statusesOf(callback.postings);
  return {
    sends,
    transmits: await settleDoubts(world, plan, { transmits: provider.transmits, statuses }),
    transmitsAtRest,
    statuses,
    bodies: callback.postings.map(({ body: _, ...rest }) => rest),
    inboundIds: inboundIdsOf(callback.postings),
    ...(await readStored(db.database)),
    logs: await Promise.all(Object.values(accounts).map((account) => readLog(world, account))),
  };
}

/**
 * What the sandbox says that it has read is certain, but after a kill it has forgotten. If it has posted a status of a message, it has
 * taken that message: it may do so before it answers, and be killed in between.
 */
async function settleDoubts(
  { sandbox }: World,
  { faults }: Plan,
  { transmits, statuses }: Pick<Books, 'transmits' | 'statuses'>,
): Promise<Transmit[]> {
  const answer = await fetch(`${sandbox.url()}/_sandbox/messages`);
  const { data }: { data: { taken: boolean; biz_opaque_callback_data: string }[] } = JSON.parse(await answer.text());
  const taken = new Set(data.flatMap((one) => (one.taken ? one.biz_opaque_callback_data : [])));
  const forgetful = faults.some(({ kind }) => kind === 'kill_sandbox');
  const sure = new Set(transmits.flatMap((one) => (one.taken === 'yes' ? one.messageId : [])));
  for (const id of taken.difference(new Set(transmits.map(({ messageId }) => messageId))))
    throw new Error(`The sandbox took ${id}, which did not pass the gate`);
  for (const { messageId } of statuses) taken.add(messageId);
  return transmits.map((one) => {
    if (one.taken !== 'maybe' || sure.has(one.messageId)) return one;
    if (taken.has(one.messageId)) return { ...one, taken: 'yes' };
    return forgetful ? one : { ...one, taken: 'no' };
  });
}

/** One entry for each message and status: the same status may have been posted with different bytes. */
function statusesOf(postings: readonly Posting[]): PostedStatus[] {
  const all = new Map<string, PostedStatus>();
  for (const { kind, body, acknowledged, posted } of postings) {
    if (kind !== 'status') continue;
    const text = body.toString();
    const messageId = /"biz_opaque_callback_data":"([^"]+)"/.exec(text)?.[1] ?? '';
    const status = /"status":"(\w+)"/.exec(text)?.[1] ?? '';
    const known = all.get(`${messageId} ${status}`);
    if (known === undefined) all.set(`${messageId} ${status}`, { messageId, status, acknowledged, posted });
    else {
      known.acknowledged += acknowledged;
      known.posted += posted;
    }
  }
  return [...all.values()];
}

function inboundIdsOf(postings: readonly Posting[]): string[] {
  const texts = postings.filter(({ kind, acknowledged }) => kind === 'inbound' && acknowledged > 0);
  return [...new Set(texts.flatMap(({ body }) => /"id":"(wamid[^"]+)"/.exec(body.toString())?.[1] ?? []))];
}

async function readLog({ nextGateway, receiver }: World, { id, key, endpoint }: RunAccount): Promise<EventLog> {
  const events: FedEvent[] = [];
  for (;;) {
    const path = `/api/v1/events?limit=100&after=${events.at(-1)?.sequence ?? 0}`;
    const page = await call({ url: nextGateway() ?? '', key }, path);
    events.push(...page.data.map(fedEvent));
    if (page.data.length < 100) {
      const delivered = endpoint && { secret: endpoint.secret, delivered: receiver.delivered() };
      return { account: id, latest: page.latest_sequence, events, endpoint: delivered };
    }
  }
}

function fedEvent(event: { id: string; type: string; sequence: number; data: { message?: { id: string } } }): FedEvent {
  const { id, type, sequence, data } = event;
  return { id, type, sequence, messageId: data.message?.id, text: JSON.stringify(event) };
}

import { Pool } from 'undici';
import { memberOf } from '../harness/gateway-api.ts';

/** What became of the sends of one minute. */
export interface Minute {
  sends: number;
  accepted: number;
  latenciesMs: number[];
}

export interface Sender {
  /** What has happened since the last call. */
  takeMinute(): Minute;
  /** Our ids of all messages that were answered with `accepted`. */
  accepted: Set<string>;
  /** Ends the load, and waits for the sends under way. */
  stop(): Promise<void>;
}

const CONNECTIONS = 32;
const TICK_MS = 20;
const NUMBERS = 1_000_000;

/** Sends at an even pace, whether or not the earlier sends are answered. An answer that is not a 200 ends the soak. */
export function startSender(origin: string, key: string, perSecond: number): Sender {
  const pool = new Pool(origin, { connections: CONNECTIONS });
  const accepted = new Set<string>();
  const underWay = new Set<Promise<void>>();
  const startMs = performance.now();
  let minute: Minute = { sends: 0, accepted: 0, latenciesMs: [] };
  let sent = 0;

  async function send(number: number): Promise<void> {
    const sentMs = performance.now();
    const body = JSON.stringify({
      to: `+15553${String(number % NUMBERS).padStart(6, '0')}`,
      type: 'text',
      text: { body: 'Your parcel is here. It waits for you at the usual place.' },
    });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await pool.request({ method: 'POST', path: '/api/v1/messages/send', headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`A send was answered ${answer.statusCode}: ${text}`);
    minute.latenciesMs.push(performance.now() - sentMs);
    minute.sends += 1;
    const entry = memberOf(JSON.parse(text), 'results', '0');
    if (memberOf(entry, 'status') !== 'accepted') throw new Error(`A send was not accepted: ${text}`);
    minute.accepted += 1;
    accepted.add(String(memberOf(entry, 'id')));
  }

  const ticking = setInterval(() => {
    for (; sent < ((performance.now() - startMs) * perSecond) / 1_000; sent++) {
      const one = send(sent).finally(() => underWay.delete(one));
      underWay.add(one);
    }
  }, TICK_MS);

  return {
    accepted,
    takeMinute() {
      const taken = minute;
      minute = { sends: 0, accepted: 0, latenciesMs: [] };
      return taken;
    },
    async stop() {
      clearInterval(ticking);
      await Promise.all(underWay);
      await pool.close();
    },
  };
}

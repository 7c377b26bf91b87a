import { request } from 'undici';
import type { Target } from './harness/load.ts';

/** Of so many answers, one is compared with the store at the end. */
const SAMPLE_EVERY = 200;

/** The gateway as a target. It also notes some requests, to compare them with the store later. */
export interface GatewayTarget extends Target {
  /** How many messages of the noted requests are not stored as the answer said. */
  countLost(): Promise<number>;
}

export function createGatewayTarget(origin: string, keys: readonly string[]): GatewayTarget {
  const noted: { requestId: string; recipients: number; authorization: string }[] = [];
  let answers = 0;
  return {
    origin,
    path: '/api/v1/messages/send',
    authorizations: keys.map((key) => `Bearer ${key}`),
    check(answer, recipients, authorization) {
      if (readNumber(answer, 'accepted_count') !== recipients)
        throw new Error(`Not all of ${recipients} recipients were accepted: ${JSON.stringify(answer)}`);
      answers += 1;
      const requestId = String(Reflect.get(Object(answer), 'request_id'));
      if (answers % SAMPLE_EVERY === 0) noted.push({ requestId, recipients, authorization });
    },
    async countLost() {
      let lost = 0;
      for (const { requestId, recipients, authorization } of noted) {
        const stored = await request(`${origin}/api/v1/requests/${requestId}`, { headers: { authorization } });
        lost += recipients - (readNumber(await stored.body.json(), 'accepted_count') ?? 0);
      }
      return lost;
    },
  };
}

function readNumber(answer: unknown, member: string): number | undefined {
  const value: unknown = Reflect.get(Object(answer), member);
  return typeof value === 'number' ? value : undefined;
}

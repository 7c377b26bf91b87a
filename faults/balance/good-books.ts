import { Webhook } from 'standardwebhooks';
import type { Books, FedEvent } from './books.ts';

const ACCOUNT = 'account-1';
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** The books of a small run in which nothing went wrong: one message was read, one refused, one stayed unknown. */
export function goodBooks(): Books {
  const text = JSON.stringify({
    results: [
      { to: '+447700900001', status: 'accepted', id: 'msg_1' },
      { to: '+447700900002', status: 'failed', id: 'msg_2', error: { code: 'recipient_unreachable' } },
      { to: '+447700900003', status: 'unknown', id: 'msg_3', error: { code: 'outcome_unknown' } },
    ],
  });
  const status = (name: string) => ({ messageId: 'msg_1', status: name, acknowledged: 1, posted: 1 });
  const events = [
    eventOf(1, 'message.unknown', 'msg_3'),
    eventOf(2, 'message.delivered', 'msg_1'),
    eventOf(3, 'message.read', 'msg_1'),
    eventOf(4, 'message.received', 'msg_4'),
  ];
  return {
    sends: [
      {
        key: 'k',
        answers: [
          { text, replayed: false },
          { text, replayed: true },
        ],
      },
    ],
    transmits: [
      { messageId: 'msg_1', to: '+447700900001', taken: 'yes' },
      { messageId: 'msg_2', to: '+447700900002', taken: 'no' },
      { messageId: 'msg_3', to: '+447700900003', taken: 'no' },
    ],
    transmitsAtRest: { before: 3, after: 3 },
    statuses: [status('delivered'), status('read')],
    bodies: [
      { sha256: 'a', kind: 'status', acknowledged: 1, posted: 1 },
      { sha256: 'b', kind: 'status', acknowledged: 1, posted: 1 },
      { sha256: 'c', kind: 'inbound', acknowledged: 1, posted: 2 },
    ],
    inboundIds: ['wamid.1'],
    messages: [
      message('msg_1', 'read', 'accepted'),
      message('msg_2', 'failed', 'failed'),
      message('msg_3', 'unknown', 'unknown'),
      { ...message('msg_4', 'received', 'received'), direction: 'inbound', providerMessageId: 'wamid.1' },
    ],
    reports: [
      { messageId: 'msg_1', status: 'delivered', note: null },
      { messageId: 'msg_1', status: 'read', note: null },
    ],
    notifications: ['a', 'b', 'c'].map((sha256) => ({ sha256, state: 'applied', count: 1 })),
    logs: [{ account: ACCOUNT, latest: 4, events, endpoint: { secret: SECRET, delivered: events.map(deliveredOf) } }],
    requestsRunning: 0,
  };
}

export function eventOf(sequence: number, type: string, messageId: string): FedEvent {
  const id = `evt_${sequence}`;
  return { id, type, sequence, messageId, text: JSON.stringify({ id, type, sequence }) };
}

function deliveredOf({ id, text: body }: FedEvent) {
  const signature = new Webhook(SECRET).sign(id, new Date(1_767_225_600_000), body);
  return { id, timestamp: '1767225600', signature, body };
}

function message(id: string, status: string, outcome: string) {
  return { id, account: ACCOUNT, direction: 'outbound' as const, status, outcome, providerMessageId: null };
}

import type { AfterWait, OutboundMessage, Provider, Sender, TransmitOutcome } from '../../port.ts';
import { encodeMessage } from '../encode.ts';
import { readAnswer } from './answer.ts';
import { connectSender, readSenderFacts } from './connect.ts';
import type { ExchangeOutcome } from './exchange.ts';
import { keepSubscribed } from './keep-subscribed.ts';
import { Line } from './line.ts';
import { listTemplates } from './templates.ts';

/** An answer to a send is under 1 KiB; what is this long is none. */
const ANSWER_BYTES_MAX = 256 * 1024;

export interface ProviderAddress {
  url: string;
  version: string;
  /** The HTTP proxy through which it is reached. */
  proxyUrl?: string | undefined;
}

export interface WhatsAppProviderOptions {
  live: ProviderAddress;
  /** Absent where no sandbox runs; then nothing may be sent in test mode. */
  sandbox?: ProviderAddress;
  /** How long one call may take, from its first byte to the answer's last. */
  timeoutMs: number;
  /** How many calls may be under way at a time, to the provider and to the sandbox each. */
  connections: number;
  answerBytesMax?: number;
}

/**
 * The provider over HTTP/1.1. A message is transmitted once: nothing here tries again, also not after a broken
 * connection, and the outcome goes by what was really written and read.
 */
export function createWhatsAppProvider(options: WhatsAppProviderOptions): Provider {
  const { timeoutMs, connections, answerBytesMax = ANSWER_BYTES_MAX } = options;
  const limits = { timeoutMs, connections, answerBytesMax };
  const live = new Line({ ...options.live, ...limits });
  const sandbox = options.sandbox === undefined ? undefined : new Line({ ...options.sandbox, ...limits });
  const lineOf = ({ mode }: Sender): Line => {
    const line = mode === 'live' ? live : sandbox;
    if (line === undefined) throw new Error('Something in test mode came to a provider without a sandbox');
    return line;
  };
  return {
    transmit: async (sender, message, ...more) => transmit(lineOf(sender), sender, message, ...more),
    connect: async (sender, businessAccountId) => connectSender(lineOf(sender), sender, businessAccountId),
    readFacts: async (sender) => readSenderFacts(lineOf(sender), sender),
    keepSubscribed: async (sender, businessAccountId) => keepSubscribed(lineOf(sender), sender, businessAccountId),
    listTemplates: async (sender, businessAccountId, name) =>
      listTemplates(lineOf(sender), sender, businessAccountId, name),
    async close() {
      await Promise.all([live.close(), sandbox?.close()]);
    },
  };
}

async function transmit(
  line: Line,
  sender: Sender,
  message: OutboundMessage,
  deadline?: AbortSignal,
  afterWait?: AfterWait,
): Promise<TransmitOutcome> {
  const path = `/${encodeURIComponent(sender.phoneNumberId)}/messages`;
  const makeBody = () => encodeMessage(message);
  return outcomeOf(await line.call({ sender, method: 'POST', path, makeBody, deadline, afterWait }));
}

function outcomeOf(seen: ExchangeOutcome): TransmitOutcome {
  switch (seen.kind) {
    case 'not_begun':
      return { kind: 'throttled', error: { code: 'not_attempted' }, unwritten: true };
    case 'not_connected': {
      const detail = `No connection to the provider could be made (${seen.reason})`;
      return { kind: 'throttled', error: { code: 'provider_unavailable', detail }, unwritten: true };
    }
    case 'broken':
      return { kind: 'unknown', error: { code: 'outcome_unknown', detail: BROKEN[seen.reason] } };
    case 'answered':
      return readAnswer(seen);
  }
}

const BROKEN = {
  timeout: 'The provider did not answer in time',
  too_large: "The provider's answer was too large to be read",
  closed: "The connection broke before the provider's answer was complete",
} as const satisfies Record<Extract<ExchangeOutcome, { kind: 'broken' }>['reason'], string>;

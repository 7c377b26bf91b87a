/** How a status looks. A sign stands beside the word, so that nothing is said by colour alone. */
export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'plain';

interface Look {
  tone: Tone;
  sign: string;
  meaning: string;
}

const MESSAGE: Record<string, Look> = {
  pending: { tone: 'busy', sign: '…', meaning: 'It waits for its turn; nothing was transmitted yet.' },
  transmitting: { tone: 'busy', sign: '→', meaning: 'It is being handed to the provider.' },
  accepted: { tone: 'plain', sign: '✓', meaning: 'The provider took it. This does not prove delivery.' },
  sent: { tone: 'plain', sign: '✓', meaning: 'The provider has sent it on.' },
  delivered: { tone: 'good', sign: '✓✓', meaning: "It is on the person's device." },
  read: { tone: 'good', sign: '✓✓', meaning: 'The person has read it.' },
  failed: { tone: 'bad', sign: '✕', meaning: 'It was not sent, or could not be delivered.' },
  unknown: {
    tone: 'warn',
    sign: '?',
    meaning:
      'Whether the provider took it is not known. It is never sent again by itself; a later notification may settle it.',
  },
  received: { tone: 'plain', sign: '←', meaning: 'It has come in to a number of this account.' },
};

/** The same word means something else of another thing. */
const STATUS = {
  message: MESSAGE,
  template: {
    approved: { tone: 'good', sign: '✓', meaning: 'It can be sent.' },
    pending: { tone: 'busy', sign: '…', meaning: 'The provider has not decided yet whether it may be sent.' },
    in_appeal: { tone: 'busy', sign: '…', meaning: 'The provider is asked to decide about it once more.' },
    rejected: { tone: 'bad', sign: '✕', meaning: 'The provider refused it.' },
    paused: { tone: 'warn', sign: '!', meaning: 'The provider has paused it for its quality.' },
    disabled: { tone: 'bad', sign: '✕', meaning: 'The provider has switched it off.' },
  },
  channel: {
    connected: { tone: 'good', sign: '✓', meaning: 'It sends and receives.' },
    suspended: { tone: 'bad', sign: '✕', meaning: 'Nothing can be sent from it.' },
    removed: { tone: 'plain', sign: '–', meaning: 'It was removed; its messages stay.' },
  },
  account: {
    active: { tone: 'good', sign: '✓', meaning: 'It may send.' },
    suspended: { tone: 'bad', sign: '✕', meaning: 'Its keys may read, and nothing else.' },
  },
  endpoint: {
    enabled: { tone: 'good', sign: '✓', meaning: 'It gets events.' },
    disabled: { tone: 'bad', sign: '✕', meaning: 'It gets no events.' },
  },
  attempt: {
    succeeded: { tone: 'good', sign: '✓', meaning: 'The endpoint answered with a 2xx.' },
    failed: { tone: 'bad', sign: '✕', meaning: 'The endpoint did not take it at this try.' },
  },
  notification: {
    waiting: { tone: 'busy', sign: '…', meaning: 'It waits to be applied.' },
    applied: { tone: 'good', sign: '✓', meaning: 'All of it had its effect.' },
    set_aside: {
      tone: 'bad',
      sign: '!',
      meaning: 'It could not be applied, and waits for somebody to look at it.',
    },
  },
} satisfies Record<string, Record<string, Look>>;

/** What a status is one of. */
export type StatusKind = keyof typeof STATUS;

const OTHER: Look = { tone: 'plain', sign: '•', meaning: '' };

export function describeStatus(status: string, of: StatusKind = 'message'): Look & { word: string } {
  const looks: Record<string, Look> = STATUS[of];
  return { ...(looks[status] ?? OTHER), word: status.replaceAll('_', ' ') };
}

/** Those that a message can have, in the order in which it gets them. */
export const STATUSES = Object.keys(MESSAGE);

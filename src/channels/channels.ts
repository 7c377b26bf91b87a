import type { Logger } from 'pino';
import type { SteadyClock } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import { parseId } from '../kernel/ids.ts';
import type { MessageError } from '../kernel/message-errors.ts';
import { readPhoneNumber } from '../kernel/phone-number.ts';
import type { Mode } from '../kernel/principal.ts';
import { createRemembered } from '../kernel/remember.ts';
import { rememberOpened, type Sealer } from '../kernel/sealed.ts';
import type { Sender } from '../provider/port.ts';
import { createBatcher } from '../store/batcher.ts';
import type { Database } from '../store/database.ts';
import { THROUGHPUT_PER_SECOND } from './present.ts';
import { listSendingChannels, type SendingChannelRow } from './store.ts';
import { suspendChannel } from './suspend.ts';

/** A change of a channel or its account is seen by every node after this time at the latest. */
const BELIEVED_MS = 1_500;
/** What is in use is read again this long before, so that no call waits for it. */
const AHEAD_MS = 500;
const REMEMBERED_MAX = 10_000;
/** Access tokens that were opened. They are opened again with every look at their account. */
const OPENED_MAX = 20_000;
/** Accounts of one moment share a query, for the same reason as keys do. */
const ACCOUNTS_A_QUERY_MAX = 100;

/** A channel that messages can go out from. */
export interface SendingChannel {
  id: string;
  accountId: string;
  phoneNumber: string;
  businessAccountId: string;
  /** Nothing is sent from it. A status that only a later version knows counts as this too: only a `connected` channel sends. */
  suspended: boolean;
  throughputPerSecond: number;
  sender: Sender;
  sealedToken: Buffer;
}

/** A channel, or why a message that has waited does not go out from it any more. */
export type ChannelNow = { kind: 'usable'; channel: SendingChannel } | { kind: 'refused'; error: MessageError };

export interface Channels {
  /**
   * Chooses what a request goes out from: the one that `from` names by id or phone number, written as people write it, else
   * the mode's default or only one. Throws `unknown_channel` or `no_channel`.
   */
  choose(accountId: string, mode: Mode, from: string | undefined): Promise<SendingChannel>;
  /** The channel as it is now, with the token that it has now, for a message whose turn has come after a wait. */
  asItIsNow(channel: SendingChannel): Promise<ChannelNow>;
  /** The channels of a mode that the account has now, suspended ones too. */
  listUsable(accountId: string, mode: Mode): Promise<SendingChannel[]>;
  /** After the provider refused the channel's access token: nothing is sent from it until the token is changed. */
  suspend(channel: SendingChannel): Promise<void>;
  /** After a change of an account's channels: this node obeys it at once, the others soon. */
  forget(accountId: string): void;
}

interface Deps {
  database: Database;
  sealer: Sealer;
  clock: SteadyClock;
  log: Logger;
  /** Without the sandbox there are no test channels. */
  sandbox: boolean;
}

export function createChannels({ database, sealer, clock, log, sandbox }: Deps): Channels {
  const lookUps = createBatcher<string, SendingChannelRow[]>({
    itemsMax: ACCOUNTS_A_QUERY_MAX,
    flush: (accountIds) => listSendingChannels(database, accountIds),
  });
  const open = rememberOpened(sealer, OPENED_MAX);
  const remembered = createRemembered({
    load: async (accountId) => (await lookUps.add(accountId)).map((row) => toSending(row, open)),
    believedMs: BELIEVED_MS,
    aheadMs: AHEAD_MS,
    entriesMax: REMEMBERED_MAX,
    clock,
  });
  const usableOf = async (accountId: string, mode: Mode) => {
    const all = await remembered.get(accountId);
    return all.filter(({ sender }) => sender.mode === mode);
  };
  return {
    async choose(accountId, mode, from) {
      const usable = await usableOf(accountId, mode);
      const chosen = from === undefined ? defaultOf(usable, mode) : named(usable, from);
      if (mode === 'test' && !sandbox) throw new ApiError('no_channel', 'The sandbox is off.');
      return chosen;
    },
    async asItIsNow({ accountId, id }) {
      const look = async () => judge((await remembered.get(accountId)).find((channel) => channel.id === id));
      const known = await look();
      if (known.kind === 'usable') return known;
      // What is remembered may be older than the send itself: the account was suspended then, and has been resumed since, by whichever node.
      remembered.forget(accountId);
      return look();
    },
    listUsable: async (accountId, mode) => (mode === 'test' && !sandbox ? [] : usableOf(accountId, mode)),
    async suspend(channel) {
      await suspendChannel(database, log, channel);
      remembered.forget(channel.accountId);
    },
    forget: remembered.forget,
  };
}

/** What is known of a channel beside what sends need. */
type KnownChannel = SendingChannel & { isDefault: boolean; accountSuspended: boolean };

function toSending(row: SendingChannelRow, open: Sealer['open']): KnownChannel {
  return {
    id: row.id,
    accountId: row.account_id,
    phoneNumber: row.phone_number,
    businessAccountId: row.business_account_id,
    suspended: row.status !== 'connected',
    throughputPerSecond: row.throughput_per_second ?? THROUGHPUT_PER_SECOND,
    isDefault: row.is_default,
    accountSuspended: row.account_suspended,
    sealedToken: apart(row.access_token_sealed),
    sender: {
      accountId: row.account_id,
      mode: row.mode,
      phoneNumberId: row.phone_number_id,
      accessToken: open(row.access_token_sealed, row.id),
    },
  };
}

/**
 * A copy in memory of its own. What the driver gives is a part of one of Node's pools of 64 KiB. To keep those few bytes would keep the whole
 * pool, for each account that is remembered.
 */
function apart(bytes: Buffer): Buffer {
  return Buffer.from(Uint8Array.from(bytes).buffer);
}

function judge(channel: KnownChannel | undefined): ChannelNow {
  if (channel === undefined) return notAttempted('The channel was removed before its turn came');
  if (channel.accountSuspended) return notAttempted('The account was suspended before its turn came');
  if (channel.suspended) return { kind: 'refused', error: { code: 'sender_suspended' } };
  return { kind: 'usable', channel };
}

function notAttempted(detail: string): ChannelNow {
  return { kind: 'refused', error: { code: 'not_attempted', detail } };
}

function defaultOf(usable: readonly KnownChannel[], mode: Mode): SendingChannel {
  const chosen = usable.find(({ isDefault }) => isDefault);
  if (chosen !== undefined) return chosen;
  const detail =
    usable.length === 0
      ? `There is no channel of the key's mode, which is ${mode}.`
      : 'Name one of the channels in "from".';
  throw new ApiError('no_channel', detail);
}

/** Two numbers of the provider may be shown as the same one, while a number moves to another business account for example. */
function named(usable: readonly SendingChannel[], from: string): SendingChannel {
  const id = parseId('chn', from);
  const number = readPhoneNumber(from);
  const [chosen, another] = usable.filter((channel) =>
    id === undefined ? channel.phoneNumber === number : channel.id === id,
  );
  if (another !== undefined)
    throw new ApiError('no_channel', 'Several channels have this phone number: name one by its id.');
  if (chosen !== undefined) return chosen;
  const form = id === undefined && number === undefined ? ': give its id, chn_..., or its number with the plus' : '';
  throw new ApiError('unknown_channel', `No channel of this mode has this id or phone number${form}.`);
}

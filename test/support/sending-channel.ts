import type { SendingChannel } from '../../src/channels/channels.ts';
import { newId } from '../../src/kernel/ids.ts';

/** A live channel as sends are given it. It is not in the database. */
export function sendingChannel(accountId: string, businessAccountId = '2'): SendingChannel {
  return {
    ...{ id: newId(), accountId, phoneNumber: '+447700900000', businessAccountId, suspended: false },
    ...{ throughputPerSecond: 80, sealedToken: Buffer.alloc(0) },
    sender: { accountId, mode: 'live', phoneNumberId: '1', accessToken: 'token' },
  };
}

import type { TestGateway } from '../support/gateway.ts';
import { addChannel } from '../support/notifications.ts';

/** Connects a live channel of the account, each with a business account of its own: `101` of `201`, `102` of `202` and so on. */
export function connectLine(gateway: TestGateway, number: number): Promise<string> {
  const line = { phoneNumberId: `${100 + number}`, businessAccountId: `${200 + number}` };
  const { accountId } = gateway;
  return addChannel(gateway, { accountId, mode: 'live', ...line, phoneNumber: `+1555079000${number}` });
}

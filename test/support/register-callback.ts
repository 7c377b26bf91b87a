import { signBytes } from '../../src/kernel/signature.ts';

/** Tells a sandbox that its notifications go to this gateway. */
export async function registerCallback(sandboxUrl: string, appSecret: string, gatewayUrl: string): Promise<void> {
  const body = JSON.stringify({ url: `${gatewayUrl}/api/messaging/webhook` });
  const answer = await fetch(`${sandboxUrl}/_sandbox/callback`, {
    method: 'POST',
    headers: { 'x-hub-signature-256': signBytes(Buffer.from(body), appSecret) },
    body,
  });
  if (!answer.ok) throw new Error(`The sandbox refused the callback with ${answer.status}`);
}

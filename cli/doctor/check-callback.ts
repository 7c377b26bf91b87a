import { createHmac, randomBytes } from 'node:crypto';
import { type Answer, exchange, NoAnswer } from '../api.ts';
import { type Options, textOf } from '../command-spec.ts';
import { usage } from '../failure.ts';
import { readSecretFile } from '../read-secret-file.ts';
import type { Settings } from '../settings.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { PROXY_ADVICE } from './proxy-advice.ts';

/** A notification without news: it changes nothing, and no part of it is set aside for somebody to look at. */
const EMPTY_NOTIFICATION = JSON.stringify({ object: 'whatsapp_business_account', entry: [] });

/** Acts as the provider at the callback: an unsigned notification must be refused, and a signed one accepted. */
export async function checkCallback(options: Options, { dev }: Settings, gatewayUrl: string): Promise<Finding[]> {
  const url = textOf(options, 'callbackUrl') ?? `${gatewayUrl}/api/messaging/webhook`;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw usage(`--callback-url must be an http or https address, and is "${url}".`);
  const tokenFile = textOf(options, 'verifyTokenFile');
  const secretFile = textOf(options, 'appSecretFile');
  const secret = secretFile === undefined ? undefined : readSecretFile(secretFile, '--app-secret-file');
  // The gateway of "npm start" accepts what its own sandbox signs.
  const ofSandbox: unknown = dev?.values.sandbox_app_secret;
  const signing = secret ?? (typeof ofSandbox === 'string' ? ofSandbox : undefined);
  try {
    return [
      await checkUnsigned(url),
      await checkSigned(url, signing),
      await checkVerification(url, tokenFile && readSecretFile(tokenFile, '--verify-token-file')),
    ];
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    const todo = error.untrusted
      ? 'The provider takes certificates of public authorities only, with the whole chain.'
      : 'The provider must reach it from the internet: look at DNS, the firewall and the proxy.';
    return [fail('callback', error.detail, todo)];
  }
}

async function checkUnsigned(url: string): Promise<Finding> {
  const { status } = await post(url, {});
  if (status === 401) return ok('callback', `${url} is reached, and refuses what is not signed.`);
  const todo = status >= 200 && status <= 299 ? 'What answers there is no Waypost gateway.' : PROXY_ADVICE;
  return fail('callback', `${url} answers ${status} to a notification without a signature, and not 401.`, todo);
}

async function checkSigned(url: string, secret: string | undefined): Promise<Finding> {
  if (secret === undefined)
    return warn('signature', 'Not checked.', 'Give an app secret with --app-secret-file to have it checked.');
  const signature = `sha256=${createHmac('sha256', secret).update(EMPTY_NOTIFICATION).digest('hex')}`;
  const { status } = await post(url, { 'x-hub-signature-256': signature });
  if (status === 200) return ok('signature', 'A signed notification is taken.');
  if (status === 401)
    return fail(
      'signature',
      'It is refused.',
      'Is the app secret among WAYPOST_APP_SECRETS? Does a proxy change bodies?',
    );
  return fail('signature', `A signed notification is answered with ${status}.`, PROXY_ADVICE);
}

async function checkVerification(url: string, token: string | undefined): Promise<Finding> {
  const challenge = randomBytes(8).toString('hex');
  const ask = (tried: string): Promise<Answer> => {
    const target = new URL(url);
    target.search = String(
      new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.verify_token': tried, 'hub.challenge': challenge }),
    );
    return exchange(String(target), { method: 'GET' });
  };
  const { status: wrong } = await ask(randomBytes(16).toString('hex'));
  if (wrong !== 403)
    return fail('verification', `A wrong verify token is answered with ${wrong}, and not 403.`, PROXY_ADVICE);
  if (token === undefined)
    return warn(
      'verification',
      'A wrong token is refused; a right one was not tried.',
      'Give it with --verify-token-file.',
    );
  const { status, text } = await ask(token);
  if (status === 200 && text === challenge) return ok('verification', 'The verify token is right.');
  return fail('verification', `The verify token is answered with ${status}.`, 'Is it among WAYPOST_VERIFY_TOKENS?');
}

function post(url: string, headers: Record<string, string>): Promise<Answer> {
  return exchange(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: EMPTY_NOTIFICATION,
  });
}

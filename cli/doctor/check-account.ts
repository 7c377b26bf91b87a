import { type Answer, type Api, NoAnswer } from '../api.ts';
import { readProblem } from '../problem.ts';
import { readCell } from '../table.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const EXPIRES_SOON_MS = 7 * 24 * 3_600_000;

/** What the key opens: account, channels, the provider behind them, endpoints. */
export async function checkAccount(api: Api): Promise<Finding[]> {
  const account = await api.ask('GET', '/api/v1/account');
  if (account.status !== 200) return [fromProblem('account', account)];
  const rest = [checkChannels, checkTemplates, checkEndpoints].map((check) =>
    check(api).catch((error: unknown): Finding[] => {
      if (!(error instanceof NoAnswer)) throw error;
      return [fail('gateway', error.message.split('\n')[0] ?? '', 'It answered before: try again.')];
    }),
  );
  return [...checkKey(account), ...(await Promise.all(rest)).flat()];
}

function checkKey({ json }: Answer): Finding[] {
  const whose = `${readCell(json, 'name')}, ${readCell(json, 'mode')} mode`;
  const expiresAt = readCell(json, 'key.expires_at');
  if (expiresAt === '-' || Date.parse(expiresAt) - Date.now() > EXPIRES_SOON_MS) return [ok('account', whose)];
  return [warn('account', `${whose}; the key ends at ${expiresAt}.`, 'Roll it in time: npx waypost keys roll ID')];
}

async function checkChannels(api: Api): Promise<Finding[]> {
  const answer = await api.ask('GET', '/api/v1/channels', { query: { limit: '100' } });
  if (answer.status !== 200) return [fromProblem('channel', answer)];
  const channels = listOf(answer);
  if (channels.length === 0)
    return [
      fail(
        'channel',
        'There is none of this mode: nothing can be sent.',
        'npx waypost channels connect ACCOUNT-ID ...',
      ),
    ];
  return channels.map((channel) => {
    const name = `${readCell(channel, 'phone_number')} is ${readCell(channel, 'status')}`;
    switch (readCell(channel, 'status')) {
      case 'connected':
        return ok('channel', `${name}: the provider has taken its access token.`);
      case 'suspended':
        return fail(
          'channel',
          `${name}: the provider refuses its access token.`,
          `npx waypost channels update ${readCell(channel, 'id')} --access-token-file FILE`,
        );
      default:
        return warn('channel', `${name}.`, 'Nothing is sent from it.');
    }
  });
}

/** To read the templates anew is the one call that shows whether the provider answers with the token of a channel. */
async function checkTemplates(api: Api): Promise<Finding[]> {
  const answer = await api.ask('POST', '/api/v1/templates/sync');
  if (answer.status !== 200) return [fromProblem('provider', answer)];
  return [ok('provider', `It answers; ${readCell(answer.json, 'total')} templates.`)];
}

async function checkEndpoints(api: Api): Promise<Finding[]> {
  const answer = await api.ask('GET', '/api/v1/endpoints', { query: { limit: '100' } });
  if (answer.status !== 200) return [fromProblem('endpoint', answer)];
  const endpoints = listOf(answer);
  if (endpoints.length === 0) return [ok('endpoint', 'There is none; events can be read by the feed.')];
  return endpoints.map((endpoint) => {
    const [id, url] = [readCell(endpoint, 'id'), readCell(endpoint, 'url')];
    if (readCell(endpoint, 'enabled') === 'true') return ok('endpoint', `${url} is enabled.`);
    const reason = readCell(endpoint, 'disabled_reason');
    if (reason === 'requested')
      return warn('endpoint', `${url} was turned off.`, `npx waypost endpoints update ${id} --enabled true`);
    const todo = `Look with "npx waypost endpoints attempts ${id}", then: npx waypost endpoints update ${id} --enabled true`;
    return fail('endpoint', `${url} was disabled by the gateway (${reason}).`, todo);
  });
}

/** What a key of few scopes may not read is no fault of the gateway. */
function fromProblem(check: string, answer: Answer): Finding {
  const { code, detail } = readProblem(answer) ?? { code: String(answer.status), detail: 'An answer of no gateway.' };
  switch (code) {
    case 'insufficient_scope':
      return warn(check, `Not checked: ${detail}`, 'Use a key with more scopes to have it checked.');
    case 'account_suspended':
      return fail(check, detail, 'Whoever runs the platform can resume it: npx waypost accounts resume ID');
    case 'invalid_api_key':
      return fail(check, detail, 'Give another key with --key-file or WAYPOST_API_KEY.');
    default:
      return fail(check, `${detail} (${code})`, `More: ${readCell(answer.json, 'type')}`);
  }
}

function listOf({ json }: Answer): unknown[] {
  const { data }: { data?: unknown } = Object(json);
  return Array.isArray(data) ? data : [];
}

import { type Answer, type Api, NoAnswer } from '../api.ts';
import type { Options } from '../command-spec.ts';
import { isOfGateway } from '../is-of-gateway.ts';
import { listOf } from '../list-of.ts';
import { readProblem } from '../problem.ts';
import { readCell } from '../table.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { pasted } from './pasted.ts';
import { PROXY_ADVICE } from './proxy-advice.ts';

const EXPIRES_SOON_MS = 7 * 24 * 3_600_000;

/** Checks what the key gives access to: the account, its channels, the provider behind them, and its endpoints. */
export async function checkAccount(api: Api, options: Options): Promise<Finding[]> {
  const account = await api.ask('GET', '/api/v1/account');
  if (!isOfGateway('GET', account)) return [fromProblem('account', account, options)];
  const channels = askAll(api, '/api/v1/channels');
  const checks = [
    channels.then((known) => checkChannels(known, options)),
    channels.then((known) => checkTemplates(api, known, options)),
    checkEndpoints(api, options),
  ];
  const rest = checks.map((check) =>
    check.catch((error: unknown): Finding[] => {
      if (!(error instanceof NoAnswer)) throw error;
      return [fail('gateway', error.detail, 'It answered before: try again.')];
    }),
  );
  return [...checkKey(account, options), ...(await Promise.all(rest)).flat()];
}

function checkKey({ json }: Answer, options: Options): Finding[] {
  const whose = `${readCell(json, 'name')}, ${readCell(json, 'mode')} mode`;
  const expiresAt = readCell(json, 'key.expires_at');
  if (expiresAt === '-' || Date.parse(expiresAt) - Date.now() > EXPIRES_SOON_MS) return [ok('account', whose)];
  const todo = `Roll it in time: ${pasted('keys roll ID', 'platform', options)}`;
  return [warn('account', `${whose}; the key ends at ${expiresAt}.`, todo)];
}

/** All of a list, or the answer that is no page of it. */
type Listed = unknown[] | Answer;

function checkChannels(channels: Listed, options: Options): Finding[] {
  if (!Array.isArray(channels)) return [fromProblem('channel', channels, options)];
  if (hasNone(channels))
    return [
      fail(
        'channel',
        `There is none of this mode${channels.length === 0 ? '' : ' that is not removed'}: nothing can be sent.`,
        pasted('channels connect ACCOUNT-ID ...', 'platform', options),
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
          pasted(`channels update ${readCell(channel, 'id')} --access-token-file FILE`, 'platform', options),
        );
      default:
        return warn('channel', `${name}.`, 'Nothing is sent from it.');
    }
  });
}

/** A removed channel is listed for good, and does nothing. */
function hasNone(channels: readonly unknown[]): boolean {
  return channels.every((channel) => readCell(channel, 'status') === 'removed');
}

/**
 * Reading the templates anew is the only call that shows whether the provider accepts the token of a channel. Without a channel the gateway
 * has nobody to ask, and answers that there are none.
 */
async function checkTemplates(api: Api, channels: Listed, options: Options): Promise<Finding[]> {
  if (Array.isArray(channels) && hasNone(channels))
    return [warn('provider', 'Not checked: only a channel can ask it.', 'Connect one first.')];
  const answer = await api.ask('POST', '/api/v1/templates/sync');
  if (!isOfGateway('POST', answer)) return [fromProblem('provider', answer, options)];
  return [ok('provider', `It answers; ${readCell(answer.json, 'total')} templates.`)];
}

async function checkEndpoints(api: Api, options: Options): Promise<Finding[]> {
  const endpoints = await askAll(api, '/api/v1/endpoints');
  if (!Array.isArray(endpoints)) return [fromProblem('endpoint', endpoints, options)];
  if (endpoints.length === 0) return [ok('endpoint', 'There is none; events can be read by the feed.')];
  const findings: Finding[] = [];
  // One after another: an account may have 50, as many as the calls that its key may make in a second.
  for (const endpoint of endpoints) findings.push(await checkEndpoint(api, endpoint, options));
  return findings;
}

async function checkEndpoint(api: Api, endpoint: unknown, options: Options): Promise<Finding> {
  const [id, url] = [readCell(endpoint, 'id'), readCell(endpoint, 'url')];
  const look = pasted(`endpoints attempts ${id}`, 'account', options);
  if (readCell(endpoint, 'enabled') === 'true') {
    const failure = await findFailure(api, id);
    if (failure === undefined) return ok('endpoint', `${url} is enabled.`);
    return warn('endpoint', `${url} is enabled, and its last attempt failed (${failure}).`, look);
  }
  const reason = readCell(endpoint, 'disabled_reason');
  const enable = pasted(`endpoints update ${id} --enabled true`, 'account', options);
  if (reason === 'requested') return warn('endpoint', `${url} was turned off.`, enable);
  return fail('endpoint', `${url} was disabled by the gateway (${reason}).`, `Look with "${look}", then: ${enable}`);
}

/** Why the newest attempt at an endpoint failed; undefined if it did not, or if there is none. */
async function findFailure(api: Api, id: string): Promise<string | undefined> {
  const attempts = await api.ask('GET', `/api/v1/endpoints/${id}/attempts`, { query: { limit: '1' } });
  const [newest] = listOf(Object(attempts.json).data);
  if (readCell(newest, 'outcome') !== 'failed') return undefined;
  const [error, status] = [readCell(newest, 'error'), readCell(newest, 'http_status')];
  return error === '-' ? `HTTP ${status}` : error;
}

/** If the key's scopes do not allow a read, that is no fault of the gateway. */
function fromProblem(check: string, answer: Answer, options: Options): Finding {
  const problem = readProblem(answer);
  if (problem === undefined)
    return fail(check, `It is answered with ${answer.status}, and not by a gateway.`, PROXY_ADVICE);
  const { code, detail } = problem;
  switch (code) {
    case 'insufficient_scope':
      return warn(check, `Not checked: ${detail}`, 'Use a key with more scopes to have it checked.');
    case 'account_suspended':
      return fail(
        check,
        detail,
        `Whoever runs the platform can resume it: ${pasted('accounts resume ID', 'platform', options)}`,
      );
    case 'invalid_api_key':
      return fail(check, detail, 'Give another key with --key-file or WAYPOST_API_KEY.');
    default:
      return fail(check, `${detail} (${code})`, `More: ${readCell(answer.json, 'type')}`);
  }
}

/** All rows of a list, however many pages it has. */
async function askAll(api: Api, path: string): Promise<Listed> {
  const rows: unknown[] = [];
  let cursor: string | undefined;
  do {
    const answer = await api.ask('GET', path, { query: { limit: '100', cursor } });
    if (!isOfGateway('GET', answer)) return answer;
    const page: { data?: unknown; next_cursor?: unknown } = Object(answer.json);
    rows.push(...listOf(page.data));
    cursor = typeof page.next_cursor === 'string' ? page.next_cursor : undefined;
  } while (cursor !== undefined);
  return rows;
}

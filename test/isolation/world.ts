import assert from 'node:assert/strict';
import { formatId, type IdPrefix, newId, parseId } from '../../src/kernel/ids.ts';
import type { Mode } from '../../src/kernel/principal.ts';
import { createSealer } from '../../src/kernel/sealed.ts';
import type { TestAnswer, TestGateway } from '../support/gateway.ts';
import { isProcessed, messagesBody, postSigned, statusOf, type TestLine } from '../support/notifications.ts';
import { until } from '../support/until.ts';

/** Everything that one account has in one mode, and what others could use to try to get it. */
export interface World {
  name: string;
  accountId: string;
  mode: Mode;
  key: string;
  line: TestLine;
  channelId: string;
  messageId: string;
  providerMessageId: string;
  /** By the names that the filters of lists may have. */
  filters: Record<string, string>;
  /** One id of every kind. */
  ids: string[];
  call(method: string, path: string, body?: unknown): Promise<TestAnswer>;
}

/** The kinds of ids that only the platform's routes take. */
type OfPlatform = 'ntf' | 'aud';

let worlds = 0;

/** Makes something of every kind in one mode of an account. */
export async function makeWorld(gateway: TestGateway, accountId: string, mode: Mode, line: TestLine): Promise<World> {
  const number = String(++worlds);
  const key = await gateway.createKey({ accountId, mode });
  const call = (method: string, path: string, body?: unknown) =>
    gateway.call(method, path, { key, ...(body !== undefined && { body }) });
  const to = `+44770090081${number}`;
  const send = { to, type: 'text', text: { body: `World ${number}` }, client_reference: `world-${number}` };
  const { json: sent, text } = await call('POST', '/api/v1/messages/send', send);
  assert.equal(sent.accepted_count, 1, text);
  const [{ id: messageId, message_id: providerMessageId }] = sent.results;
  await tell(gateway, line, secretOf(gateway, mode), statusOf('sent', { providerId: providerMessageId, messageId }));
  const [event] = (await call('GET', '/api/v1/events')).json.data;
  const [template] = (await call('GET', '/api/v1/templates')).json.data;
  const [channel] = (await call('GET', '/api/v1/channels')).json.data;
  const { key: shownKey } = (await call('GET', '/api/v1/account')).json;
  const { endpointId, attemptId } = await addEndpoint(gateway, accountId, mode, event.id);
  const ofEachKind: Record<Exclude<IdPrefix, OfPlatform>, string> = {
    ...{ msg: messageId, req: sent.request_id, evt: event.id, tpl: template.id },
    ...{ chn: channel.id, key: shownKey.id, end: endpointId, att: attemptId },
  };
  for (const [prefix, id] of Object.entries(ofEachKind)) assert.match(id, new RegExp(`^${prefix}_[0-9a-z]{26}$`));
  const ids = Object.values(ofEachKind);
  const filters = {
    request_id: sent.request_id,
    message_id: providerMessageId,
    client_reference: send.client_reference,
    to,
    person: to,
    event_id: event.id,
  };
  const name = `${mode} ${number}`;
  return { name, accountId, mode, key, line, channelId: channel.id, messageId, providerMessageId, filters, ids, call };
}

/** The secret with which notifications about this mode are signed. */
export function secretOf({ secrets }: TestGateway, mode: Mode): string {
  return mode === 'test' ? secrets.sandboxAppSecret : (secrets.appSecrets[0] ?? '');
}

/** Reports the status of a message in a signed notification, and waits until it was processed. */
export async function tell(gateway: TestGateway, line: TestLine, secret: string, status: object): Promise<void> {
  const answer = await postSigned({ url: gateway.url, secret }, messagesBody(line, { statuses: [status] }));
  assert.equal(answer.status, 200);
  await until(() => isProcessed(gateway));
}

/** Written directly into the database, because an attempt through the API needs an endpoint that answers. */
async function addEndpoint({ database, secrets }: TestGateway, accountId: string, mode: Mode, eventId: string) {
  const [endpoint, attempt] = [newId(), newId()];
  const secret = createSealer(secrets.masterKey).seal('whsec_c2VjcmV0', endpoint);
  await database.query(
    `insert into endpoint (account_id, id, mode, url, enabled, disabled_reason, secret_sealed)
     values ($1, $2, $3, 'https://example.com/', false, 'requested', $4)`,
    [accountId, endpoint, mode, secret],
  );
  await database.query(
    `insert into attempt (account_id, id, endpoint_id, event_id, type, number, at, outcome, http_status, duration_ms)
     values ($1, $2, $3, $4, 'message.sent', 1, now(), 'succeeded', 200, 1)`,
    [accountId, attempt, endpoint, parseId('evt', eventId)],
  );
  return { endpointId: formatId('end', endpoint), attemptId: formatId('att', attempt) };
}

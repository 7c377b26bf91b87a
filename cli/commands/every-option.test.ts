import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type LossyProxy, startLossyProxy } from '../../client/test/lossy-proxy.ts';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { runCli } from '../test-support.ts';
import { accountCommand } from './account.ts';
import { accountCommands } from './accounts.ts';
import { channelCommands } from './channels.ts';
import { endpointCommands } from './endpoints.ts';
import { eventCommands } from './events.ts';
import { keyCommands } from './keys.ts';
import { messageCommands } from './messages.ts';
import { platformCommands } from './platform.ts';
import { sendCommands } from './send.ts';
import { statisticsCommand } from './statistics.ts';
import { templateCommands } from './templates.ts';

const SINCE = '2026-01-31T12:00:00Z';
const ACCOUNT = '0190c0de-0000-7000-8000-000000000abc';
const [EVENT, REQUEST] = ['evt_00000000000000000000000000', 'req_00000000000000000000000000'];
const PAGE = '--limit 7 --cursor x';

/** What each command line asks of the gateway: the call with its query, or with its body. */
const CALLS: [commandLine: string, call: string, body?: object][] = [
  [
    `messages --request-id ${REQUEST} --message-id wamid.x --client-reference o-1 --to +447700900123 --status failed --direction inbound --since ${SINCE} ${PAGE}`,
    `GET /api/v1/messages?request_id=${REQUEST}&message_id=wamid.x&client_reference=o-1&to=+447700900123&status=failed&direction=inbound&since=${SINCE}&limit=7&cursor=x`,
  ],
  ['messages --person +447700900123', 'GET /api/v1/messages?person=+447700900123'],
  [
    'events --after 3 --type message.failed,message.read --limit 7',
    'GET /api/v1/events?after=3&type=message.failed,message.read&limit=7',
  ],
  ['events', 'GET /api/v1/events?limit=50'],
  [
    `statistics --since ${SINCE} --until 2026-02-01T12:00:00Z --step hour`,
    `GET /api/v1/statistics?since=${SINCE}&until=2026-02-01T12:00:00Z&step=hour`,
  ],
  [
    `templates --name hello_world --language en_US --status approved --from +447700900123 ${PAGE}`,
    'GET /api/v1/templates?name=hello_world&language=en_US&status=approved&from=+447700900123&limit=7&cursor=x',
  ],
  [`channels ${PAGE}`, 'GET /api/v1/channels?limit=7&cursor=x'],
  [`endpoints ${PAGE}`, 'GET /api/v1/endpoints?limit=7&cursor=x'],
  [
    `endpoints attempts end_1 --event-id ${EVENT} --outcome failed ${PAGE}`,
    `GET /api/v1/endpoints/end_1/attempts?event_id=${EVENT}&outcome=failed&limit=7&cursor=x`,
  ],
  [
    'endpoints create https://shop.example/ --types message.read,message.failed --description Shop',
    'POST /api/v1/endpoints',
    { url: 'https://shop.example/', description: 'Shop', types: ['message.read', 'message.failed'] },
  ],
  [
    'endpoints update end_1 --endpoint-url https://shop.example/ --types all --description Shop --enabled true',
    'PATCH /api/v1/endpoints/end_1',
    { url: 'https://shop.example/', description: 'Shop', types: null, enabled: true },
  ],
  ['endpoints update end_1 --no-description', 'PATCH /api/v1/endpoints/end_1', { description: null }],
  [
    'endpoints rotate-secret end_1 --overlap-seconds 0',
    'POST /api/v1/endpoints/end_1/rotate-secret',
    { overlap_seconds: 0 },
  ],
  ['endpoints rotate-secret end_1', 'POST /api/v1/endpoints/end_1/rotate-secret', {}],
  ['endpoints replay end_1 --after-sequence 0', 'POST /api/v1/endpoints/end_1/replay', { after_sequence: 0 }],
  [`endpoints replay end_1 --event-id ${EVENT}`, 'POST /api/v1/endpoints/end_1/replay', { event_id: EVENT }],
  [`accounts --search acme ${PAGE}`, 'GET /platform/v1/accounts?search=acme&limit=7&cursor=x'],
  [`accounts channels ${ACCOUNT} ${PAGE}`, `GET /platform/v1/accounts/${ACCOUNT}/channels?limit=7&cursor=x`],
  [`keys list ${ACCOUNT} ${PAGE}`, `GET /platform/v1/accounts/${ACCOUNT}/keys?limit=7&cursor=x`],
  [
    `keys create ${ACCOUNT} --name Shop --mode live --scope messages:send --scope messages:read --expires-at ${SINCE}`,
    `POST /platform/v1/accounts/${ACCOUNT}/keys`,
    { name: 'Shop', mode: 'live', scopes: ['messages:send', 'messages:read'], expires_at: SINCE },
  ],
  [
    `keys create ${ACCOUNT} --name Shop --mode test`,
    `POST /platform/v1/accounts/${ACCOUNT}/keys`,
    { name: 'Shop', mode: 'test' },
  ],
  ['keys roll key_1 --overlap-seconds 60', 'POST /platform/v1/keys/key_1/roll', { overlap_seconds: 60 }],
  [
    `channels connect ${ACCOUNT} --phone-number-id 71 --business-account-id 81 --display-phone-number +15550783881 --mode live --default --access-token-file TOKEN`,
    `POST /platform/v1/accounts/${ACCOUNT}/channels`,
    {
      phone_number_id: '71',
      business_account_id: '81',
      display_phone_number: '+15550783881',
      mode: 'live',
      access_token: 'a-token',
      default: true,
    },
  ],
  [
    'channels update chn_1 --display-phone-number +15550783881 --default --access-token-file TOKEN',
    'PATCH /platform/v1/channels/chn_1',
    { display_phone_number: '+15550783881', access_token: 'a-token', default: true },
  ],
  [`notifications --state set_aside ${PAGE}`, 'GET /platform/v1/notifications?state=set_aside&limit=7&cursor=x'],
  [`audit --account-id ${ACCOUNT} ${PAGE}`, `GET /platform/v1/audit?account_id=${ACCOUNT}&limit=7&cursor=x`],
  [`accounts delete ${ACCOUNT} --yes`, `DELETE /platform/v1/accounts/${ACCOUNT}`],
  [`erase ${ACCOUNT} --to +447700900123 --yes`, `POST /platform/v1/accounts/${ACCOUNT}/erase`, { to: '+447700900123' }],
  [`erase ${ACCOUNT} --user-id GB.1 --yes`, `POST /platform/v1/accounts/${ACCOUNT}/erase`, { user_id: 'GB.1' }],
  [
    'validate --to +447700900123;+447700900124 --to 0770 --text Hello --preview-url --from +15550783881 --client-reference o-1',
    'POST /api/v1/messages/validate',
    {
      to: [{ to: '+447700900123' }, { to: '+447700900124' }, { to: '0770' }],
      type: 'text',
      text: { body: 'Hello', preview_url: true },
      from: '+15550783881',
      client_reference: 'o-1',
    },
  ],
  [
    'validate --to +447700900123 --template order --language de --param Ada --param ref=42 --component-json [{"type":"header","n":1},{"type":"x"}]',
    'POST /api/v1/messages/validate',
    {
      to: [{ to: '+447700900123' }],
      type: 'template',
      template: {
        name: 'order',
        language: 'de',
        components: [
          { type: 'header', n: 1 },
          { type: 'x' },
          {
            type: 'body',
            parameters: [
              { type: 'text', text: 'Ada' },
              { type: 'text', parameter_name: 'ref', text: '42' },
            ],
          },
        ],
      },
    },
  ],
];

const SPECS = [
  ...[accountCommand, statisticsCommand, ...accountCommands, ...channelCommands, ...endpointCommands, ...eventCommands],
  ...[...keyCommands, ...messageCommands, ...platformCommands, ...sendCommands, ...templateCommands],
];
/** These make more than one call, or none with their options, and have tests of their own. */
const ELSEWHERE = ['send', 'events tail', 'endpoints check-signature'];

describe('what is given on a command line goes out as it is called in the API', () => {
  let gateway: TestGateway;
  let proxy: LossyProxy;
  let folder: string;
  before(async () => {
    gateway = await startTestGateway();
    proxy = await startLossyProxy(gateway.url);
    folder = await mkdtemp(join(tmpdir(), 'waypost-options-'));
    await writeFile(join(folder, 'token'), 'a-token\n');
  });
  after(async () => {
    await proxy.close();
    await gateway.stop();
    await rm(folder, { recursive: true });
  });

  for (const [commandLine, call, body] of CALLS)
    it(commandLine.split(' --')[0] ?? '', async () => {
      const env = {
        WAYPOST_URL: proxy.url,
        WAYPOST_API_KEY: gateway.testKey,
        WAYPOST_PLATFORM_KEY: gateway.platformKey,
      };
      proxy.seen.length = 0;
      const args = commandLine.split(' ').map((word) => (word === 'TOKEN' ? join(folder, 'token') : word));
      const { stderr } = await runCli(args, env);
      const [seen, ...more] = proxy.seen;
      assert.deepEqual(more, []);
      assert.equal(`${seen?.method} ${decodeURIComponent(seen?.path ?? '')}`, call, stderr);
      assert.deepEqual(JSON.parse(seen?.body || 'null'), body ?? null);
      assert.doesNotMatch(stderr, /is not known\./, 'the gateway knows these names');
    });

  it('is looked at for every option', () => {
    const missing = SPECS.flatMap(({ use, options = [] }) => {
      const words = use.split(' ').filter((word) => !/^<|^list$/.test(word));
      const name = words.join(' ');
      const given = CALLS.flatMap(([line]) => (line.startsWith(`${name} `) ? line.split(' ') : []));
      const flags = ELSEWHERE.includes(name) ? [] : options.map(({ flags: text }) => text.split(' ', 1)[0] ?? '');
      return flags.filter((flag) => !given.includes(flag)).map((flag) => `${name} ${flag}`);
    });
    assert.deepEqual(missing, []);
  });
});

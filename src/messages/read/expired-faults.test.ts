import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { agedId, ageEverything } from '../../../test/support/age.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { formatId } from '../../kernel/ids.ts';

const COMPONENTS = [{ type: 'body', parameters: [{ type: 'text', parameter_name: 'Lovelace', text: 'Ada' }] }];
const TEMPLATE = { name: 'greeting_named', language: 'en_US', components: COMPONENTS };
const CODE = 'template_parameters_invalid';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

it('what is wrong with the parameters of a template is shown no longer than these, to the moment', async () => {
  await gateway.call('POST', '/api/v1/messages/send', {
    body: { to: '+447700900881', type: 'template', template: TEMPLATE },
  });
  const [own] = await gateway.database.query<{ id: string; request: string }>(
    'select id, request_id as request from message',
  );
  const aged = (id: string | undefined, days: number) => agedId(gateway.database, id ?? '', days);
  const answers = async (days: number) => {
    const message = formatId('msg', await aged(own?.id, days));
    const request = formatId('req', await aged(own?.request, days));
    const paths = [`/messages/${message}`, `/requests/${request}`, `/messages?request_id=${request}`];
    return Promise.all(paths.map(async (path) => (await gateway.call('GET', `/api/v1${path}`)).json));
  };
  await ageEverything(gateway.database, 29);
  for (const answer of await answers(29)) assert.match(JSON.stringify(answer), /Lovelace/);
  await ageEverything(gateway.database, 2);
  const [message, request, list] = await answers(31);
  for (const answer of [message, request, list]) assert.doesNotMatch(JSON.stringify(answer), /Lovelace/);
  assert.deepEqual([message.template, message.content_expired], [null, true]);
  assert.deepEqual(
    [message.error.code, message.timeline[0].error.code, request.results[0].error.code],
    [CODE, CODE, CODE],
  );
});

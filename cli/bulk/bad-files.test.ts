import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { transmitsOf } from '../../test/support/transmits.ts';
import { runCli } from '../test-support.ts';
import { readRecipe } from './recipe.ts';

let gateway: TestGateway;
let folder: string;
let files = 0;

before(async () => {
  gateway = await startTestGateway();
  folder = await mkdtemp(join(tmpdir(), 'waypost-csv-'));
});
after(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true });
});

async function csv(content: string | Buffer): Promise<string> {
  files += 1;
  const path = join(folder, `${files}.csv`);
  await writeFile(path, content);
  return path;
}

function send(path: string, ...more: string[]) {
  const env = { WAYPOST_URL: gateway.url, WAYPOST_API_KEY: gateway.testKey };
  const content = more.includes('--text') || more.includes('--template') ? [] : ['--text', 'hello'];
  return runCli(['send', '--csv', path, ...content, ...more], env);
}

async function reportOf(path: string): Promise<string[]> {
  return (await readFile(`${path}.report.csv`, 'utf8')).trimEnd().split('\n');
}

async function bodiesOf(to: string): Promise<unknown[]> {
  const listed = await gateway.call('GET', `/api/v1/messages?to=${encodeURIComponent(to)}`);
  return listed.json.data.map((message: { text?: { body: string }; template?: unknown }) => message.text?.body);
}

describe('a CSV file', () => {
  it('is read with a BOM, Windows line ends, quoted commas, spaces in the header and empty rows', async () => {
    const path = await csv('\ufeffname, to \r\n"Lovelace, ""Ada""",+447700900201\r\n\r\n,\r\nBob,+447700900202\r\n');
    const { exitCode, stderr } = await send(path, '--text', 'Hello {{name}}');
    assert.equal(exitCode, 0, stderr);
    const report = await reportOf(path);
    assert.deepEqual(
      report.map((line) => line.split(',').slice(0, 3).join()),
      ['row,to,status', '2,+447700900201,accepted', '5,+447700900202,accepted'],
    );
    assert.deepEqual(await bodiesOf('+447700900201'), ['Hello Lovelace, "Ada"']);
  });

  it('fills in a component as it is written: no digit of a long number is lost', () => {
    const component = '{"type":"new","parameters":[{"id":12345678901234567890,"n":[-1.5,7],"text":"{{name}}"}]}';
    const options = { template: 'x', language: 'en', componentJson: [component] };
    const recipe = readRecipe(options, new Set(['to', 'name']));
    const cells = new Map(Object.entries({ to: '+447700900123', name: 'Ada' }));
    const prepared = recipe.prepare({ number: 2, cells, fault: undefined });
    assert(typeof prepared === 'object');
    const sent = JSON.stringify(recipe.compose(undefined, [prepared.recipient]));
    assert.match(
      sent,
      /"components":\[\{"type":"new","parameters":\[\{"id":12345678901234567890,"n":\[-1\.5,7\],"text":"Ada"\}\]\}\]/,
    );
  });

  it('fills in columns whatever they are called', async () => {
    const path = await csv('to,"the ""short"" name",a\\b\n+447700900296,Ada,1\n');
    const { exitCode, stderr } = await send(path, '--text', 'Hello {{the "short" name}}, {{a\\b}}');
    assert.equal(exitCode, 0, stderr);
    assert.deepEqual(await bodiesOf('+447700900296'), ['Hello Ada, 1']);
  });

  it('is read with line ends of several kinds, as files that were put together have them', async () => {
    const path = await csv(
      'to,name\n+447700900203,Ada\r\n+447700900204,"B\r\nB"\n+447700900205,Eve\r+447700900206,Bob\r\n',
    );
    const { exitCode, stderr } = await send(path, '--text', 'Hello {{name}}!');
    assert.equal(exitCode, 0, stderr);
    for (const [number, name] of [
      ['203', 'Ada'],
      ['204', 'B\r\nB'],
      ['205', 'Eve'],
      ['206', 'Bob'],
    ])
      assert.deepEqual(await bodiesOf(`+447700900${number}`), [`Hello ${name}!`]);
    const windows = await csv('to\r\n+447700900207\n+447700900208\n');
    assert.match((await send(windows)).stdout, /2 of 2 rows: 2 accepted/);
  });

  it('has tabs between its columns, where that is said, and columns without a name, as spreadsheets leave them', async () => {
    const path = await csv('name\tto\t\t\nAda, Bob \t+447700900215\t\t\n \t \t\t\n');
    const { stdout, stderr } = await send(path, '--text', 'Hello {{ name }}', '--delimiter', '\\t');
    assert.match(stdout, /^1 of 1 rows: 1 accepted/, stderr);
    assert.deepEqual(await bodiesOf('+447700900215'), ['Hello Ada, Bob ']);
  });

  it('has an entry in the report for every row, however wrong the row is', async () => {
    const rows = [
      '+447700900211,Ada',
      '0770,Bob',
      ',Carl',
      '"+44 7700 900-211",Ada again',
      '+447700900212',
      '+447700900213,',
      `+447700900214,${'x'.repeat(300)}`,
    ];
    const path = await csv(`to,client_reference\n${rows.join('\n')}\n`);
    const { exitCode, stderr } = await send(path);
    assert.equal(exitCode, 1, stderr);
    assert.match(stderr, /not sent \(duplicate_recipient\): 1/);
    const outcomes = (await reportOf(path)).slice(1).map((line) => {
      const [row, , status, , , code] = line.split(',');
      return [row, status, code].join(' ');
    });
    assert.deepEqual(outcomes, [
      '2 accepted ',
      '3 failed invalid_recipient',
      '4 failed invalid_recipient',
      '5 failed duplicate_recipient',
      '6 failed row_invalid',
      '7 accepted ',
      '8 failed invalid_request',
    ]);
    assert.match((await reportOf(path))[5] ?? '', /,"It has 1 cells, and the header 2"$/);
    assert.match((await reportOf(path))[7] ?? '', /,client_reference: This must have 1 to 255 characters\.$/);
  });

  it('has rows whose text nobody could send, which cost the other rows nothing', async () => {
    const texts = ['', 'x'.repeat(4_097), 'a\u0000b', 'é'.repeat(4_096)];
    const rows = texts.map((text, place) => `+44770090025${place},${text}`);
    const path = await csv(`to,text\n${rows.join('\n')}\n`);
    const { exitCode, stderr } = await send(path, '--text', '{{text}}');
    assert.equal(exitCode, 1, stderr);
    const details = (await reportOf(path)).slice(1).map((line) => line.split(/,(?! )/).at(-1));
    assert.deepEqual(details, [
      'Its text is empty',
      '"Its text has 4097 characters, and may have 4096"',
      'Its text holds a zero byte',
      '',
    ]);
    assert.deepEqual(await bodiesOf('+447700900253'), [texts[3]]);
  });

  it('counts as repeated only what is not sent for it: a row after one that is not sent itself is sent', async () => {
    const path = await csv('to,text\n+447700900256,\n+447700900256,Hello\n+447700900256,Again\n');
    const { stdout, stderr } = await send(path, '--text', '{{text}}');
    assert.match(stderr, /and are not sent \(duplicate_recipient\): 1\n/);
    assert.match(stdout, /^3 of 3 rows: 1 accepted, 2 failed/);
    assert.deepEqual(await bodiesOf('+447700900256'), ['Hello']);
  });

  it('says in the report which parameter of a template is wrong', async () => {
    const path = await csv('to,name\n+447700900216,Ada\n+447700900217,\n');
    const args = ['--template', 'order_update', '--language', 'en_US', '--param', 'name'];
    await send(path, ...args);
    assert.match(
      (await reportOf(path))[2] ?? '',
      /,template_parameters_invalid,.*; components\/0\/parameters\/0[^:]*: /,
    );
  });

  it('sends nothing if it cannot be read as a whole, and says why', async () => {
    const cases: [path: string, words: RegExp, more?: string[]][] = [
      [await csv('number,name\n+447700900221,Ada\n'), /no column "to"/],
      [await csv('to;name\n+447700900221;Ada\n'), /--delimiter ';'/],
      [await csv('to\tname\n+447700900221\tAda\n'), /--delimiter '\\t'\./],
      [await csv('to\tname\n+447700900221\tAda\n'), /--delimiter '\\t'\./, ['--delimiter', ' ']],
      [await csv('to\n+447700900221\n'), /--delimiter must be/, ['--delimiter', '']],
      [await csv('to,to\n+447700900221,Ada\n'), /"to" is there twice/],
      [await csv('to,name\n+447700900221,"Ada\n'), /is not a CSV file/],
      [await csv(''), /is empty/],
      [await csv('to,name\n'), /no rows/],
      [await csv(Buffer.from('to,name\n+447700900221,Andr\xe9\n', 'latin1')), /UTF-8/],
      [folder, /EISDIR/],
      [join(folder, 'none.csv'), /ENOENT/],
      [await csv('to\n+447700900221\n'), /no column "name"/, ['--text', 'Hello {{name}}']],
    ];
    const runs = await Promise.all(
      cases.map(async ([path, words, more = []]) => ({ words, ...(await send(path, ...more)) })),
    );
    for (const { words, exitCode, stderr } of runs) {
      assert.match(stderr, words);
      assert.equal(exitCode, 2, stderr);
    }
    assert.deepEqual(await bodiesOf('+447700900221'), []);
  });

  it('sends to one person once, whether or not a request ends between the two rows', async () => {
    const path = await csv('to,name\n+447700900271,Ada\n+447700900272,Bob\n(+44) 7700.900-271,Eve\n');
    assert.equal((await send(path, '--text', 'Hello {{name}}')).exitCode, 1);
    assert.match((await reportOf(path))[3] ?? '', /^4,.*,failed,,,duplicate_recipient,/);
    assert.deepEqual(await bodiesOf('+447700900271'), ['Hello Ada']);
  });

  it('sends to a person whose number another row has in a form that the gateway refuses, and once whatever marks are in it', async () => {
    const rows = [
      '+39 (0)6 12345678,Ada',
      '+39 06 12345678,Grace',
      '\u2068+447700900281\u2069,Bob',
      '+447700900281,Eve',
    ];
    const path = await csv(`to,name\n${rows.join('\n')}\n`);
    assert.equal((await send(path, '--text', 'Hello {{name}}')).exitCode, 1);
    const codes = (await reportOf(path)).slice(1).map((line) => line.split(',')[5]);
    assert.deepEqual(codes, ['invalid_recipient', '', '', 'duplicate_recipient']);
    assert.deepEqual(await bodiesOf('+390612345678'), ['Hello Grace']);
    assert.deepEqual(await bodiesOf('+447700900281'), ['Hello Bob']);
  });

  it("fills a template's parameters from columns, for each row its own", async () => {
    const path = await csv('to,first\n+447700900231,Ada\n+447700900232,Bob\n');
    const named = ['--template', 'greeting_named', '--language', 'en_US', '--param', 'first_name=first'];
    assert.equal((await send(path, ...named)).exitCode, 0);
    const wrong = await send(path, ...named.slice(0, -1), 'first_name=frist');
    assert.match(wrong.stderr, /there is none "frist"\. There are: to, first\./);
    const { json } = await gateway.call('GET', '/api/v1/messages?to=%2B447700900232');
    assert.match(JSON.stringify(json.data[0].template), /"text":"Bob"/);
  });

  it('that cannot be sent at all leaves no report, so that the corrected command is no other send', async () => {
    const path = await csv('to\n+447700900301\n');
    const template = ['--language', 'en_US', '--template'];
    for (const [options, words] of [
      [['--from', 'chn_00000000000000000000000000'], /unknown_channel/],
      [['--client-reference', 'x'.repeat(256)], /#\/client_reference /],
      [[...template, 'x'.repeat(600)], /#\/template\/name /],
    ] as const) {
      const { exitCode, stderr } = await send(path, ...options);
      assert.equal(exitCode, 1, stderr);
      assert.match(stderr, words);
    }
    assert.equal((await send(path)).exitCode, 0);
    assert.deepEqual(await bodiesOf('+447700900301'), ['hello']);
  });

  it('that was changed, or is sent with another text or option, is another send and never mixed with the first one', async () => {
    const path = await csv('to\n+447700900241\n');
    assert.equal((await send(path)).exitCode, 0);
    const others = [
      ['--text', 'another'],
      ['--client-reference', 'another'],
      ['--from', '+447700900249'],
      ['--preview-url'],
      ['--delimiter', ';'],
      ['--idempotency-key', 'another'],
    ];
    for (const other of others) {
      const { exitCode, stderr } = await send(path, ...other);
      assert.equal(exitCode, 2, stderr);
      assert.match(stderr, /since then the text, the template or another option has changed/);
    }
    await writeFile(path, 'to\n+447700900242\n');
    const otherFile = await send(path);
    assert.equal(otherFile.exitCode, 2);
    assert.match(otherFile.stderr, /the file has changed/);
    assert.deepEqual(await bodiesOf('+447700900242'), []);
  });

  it('is sent anew under another name with another report, and without that name answered as it was', async () => {
    const path = await csv('to\n+447700900243\n');
    const into = (report: string, ...more: string[]) => send(path, '--report', `${path}.${report}`, ...more);
    assert.equal((await into('first')).exitCode, 0);
    assert.match((await into('second')).stderr, /^1 rows had been sent by an earlier run, .* not sent again\.$/m);
    assert.deepEqual(await bodiesOf('+447700900243'), ['hello']);
    const named = await into('third', '--idempotency-key', 'SECOND-ROUND');
    assert.deepEqual([named.exitCode, named.stderr], [0, '']);
    assert.deepEqual(await bodiesOf('+447700900243'), ['hello', 'hello']);
  });

  it('is not gone on with by a key of another account, which would send it to everybody anew', async () => {
    const path = await csv('to\n+447700900671\n');
    assert.equal((await send(path)).exitCode, 0);
    const key = await gateway.createKey({ accountId: await gateway.createAccount('Another') });
    const args = ['send', '--csv', path, '--text', 'hello', '--force'];
    const { exitCode, stderr } = await runCli(args, { WAYPOST_URL: gateway.url, WAYPOST_API_KEY: key });
    assert.equal(exitCode, 2);
    assert.match(stderr, /the account or the mode of the key has changed/);
    assert.equal((await transmitsOf(gateway.sandbox, '+447700900671')).length, 1);
  });

  it('that is sent to the end is not sent by the same command again, which tells the same of it', async () => {
    const path = await csv('to\n+447700900681\n+15550131026\n');
    const first = await send(path);
    const report = await reportOf(path);
    const again = await send(path);
    assert.deepEqual([again.exitCode, again.stdout], [first.exitCode, first.stdout]);
    assert.match(again.stderr, /has all 2 rows already: nothing is sent/);
    assert.deepEqual(await reportOf(path), report);
    const state = JSON.parse(await readFile(`${path}.report.csv.state`, 'utf8'));
    assert.deepEqual([state.reported, state.open_since], [2, null], 'nothing is open, however late one asks again');
    const told = JSON.parse((await send(path, '--json')).stdout);
    assert.deepEqual([told.rows, told.reported, told.accepted, told.failed, told.unknown], [2, 2, 1, 1, 0]);
    assert.equal((await transmitsOf(gateway.sandbox, '+447700900681')).length, 1);
  });

  it('whose only row is unknown or failed ends with 1', async () => {
    for (const number of ['+15552000004', '+15550131026']) {
      const { exitCode, stdout } = await send(await csv(`to\n${number}\n`));
      assert.equal(exitCode, 1, stdout);
    }
  });

  it('is not gone on with where its report is no longer one, or its state cannot be read', async () => {
    const path = await csv('to\n+447700900686\n');
    assert.equal((await send(path)).exitCode, 0);
    const [report, state] = [`${path}.report.csv`, `${path}.report.csv.state`];
    const [header] = await reportOf(path);
    for (const content of ['precious\n', `${header}\n2,+447700900686,sent,,,,\n`]) {
      await writeFile(report, content);
      const { exitCode, stderr } = await send(path, '--force');
      assert.deepEqual([exitCode, await readFile(report, 'utf8')], [2, content]);
      assert.match(stderr, /is not a report of this command/);
    }
    for (const content of ['', '{', 'null', '{"file": 1}']) {
      await writeFile(state, content);
      const { exitCode, stderr } = await send(path, '--force');
      assert.deepEqual([exitCode, await readFile(state, 'utf8')], [2, content]);
      assert.match(stderr, /cannot be read, so nothing says what was sent/);
    }
    assert.equal((await transmitsOf(gateway.sandbox, '+447700900686')).length, 1);
  });

  it('whose send was begun by a version that parts it otherwise is left to that version', async () => {
    const path = await csv('to\n+447700900291\n');
    assert.equal((await send(path)).exitCode, 0);
    const statePath = `${path}.report.csv.state`;
    const { plan, ...first } = JSON.parse(await readFile(statePath, 'utf8'));
    assert.equal(typeof plan, 'number');
    // As the first version wrote it: that one did not write the plan.
    await writeFile(statePath, JSON.stringify(first));
    const { exitCode, stderr } = await send(path, '--force');
    assert.equal(exitCode, 2);
    assert.match(stderr, /begun by another version/);
    assert.deepEqual(await bodiesOf('+447700900291'), ['hello']);
  });

  it('is not sent again from a lost report while the keys are kept, and not at all afterwards without --force', async () => {
    const path = await csv('to\n+447700900251\n');
    assert.equal((await send(path)).exitCode, 0);
    await rm(`${path}.report.csv`);
    const again = await send(path);
    assert.match(again.stderr, /1 rows had been sent by an earlier run/);
    await rm(`${path}.report.csv`);
    const state = JSON.parse(await readFile(`${path}.report.csv.state`, 'utf8'));
    // The key is still kept by the gateway, but could expire while the gateway is asked again and again. A time that is yet to come says nothing.
    for (const [ageMs, why] of [
      [24 * 3_600_000 - 14 * 60_000, /24 hours[\s\S]*--force/],
      [-3_600_000, /yet to come[\s\S]*--force/],
    ] as const) {
      const begunAt = new Date(Date.now() - ageMs).toISOString();
      await writeFile(`${path}.report.csv.state`, JSON.stringify({ ...state, begun_at: begunAt }));
      const refused = await send(path);
      assert.equal(refused.exitCode, 1);
      assert.match(refused.stderr, why);
    }
    assert.equal((await send(path, '--force')).exitCode, 0);
    assert.deepEqual(await bodiesOf('+447700900251'), ['hello']);
  });

  it('never touches a file that is not its own report', async () => {
    const path = await csv('to\n+447700900261\n');
    // Nothing says of which send a report without its state is.
    for (const content of [
      'precious\n',
      '',
      'row,to,status,id,message_id,code,detail\n2,+447700900262,accepted,,,,\n',
    ]) {
      const precious = await csv(content);
      const { exitCode } = await send(path, '--report', precious);
      assert.equal(exitCode, 2, content);
      assert.equal(await readFile(precious, 'utf8'), content);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readEndpointUrl } from './url.ts';

const accepts = (text: string, local = false) => readEndpointUrl(text, local).kind === 'target';

describe('the URL of an endpoint', () => {
  it('is https at a public name or address', () => {
    const good = [
      'https://example.com/hook?a=1',
      'https://example.com:8443/',
      'https://8.8.8.8/',
      'https://[2606:4700::1]/',
    ];
    for (const url of [...good, 'https://bücher.example/']) assert.ok(accepts(url), url);
  });

  it('has no other scheme, no name or password, no fragment and no characters that a parser would drop', () => {
    const bad = [
      'http://example.com/',
      'ftp://example.com/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'example.com',
      '//x.y',
      '',
    ];
    bad.push(
      'https://user:word@example.com/',
      'https://user@example.com/',
      'https://example.com/#a',
      'https://example.com/#',
    );
    bad.push(
      'https://exam\nple.com/',
      ' https://example.com/',
      'https:\\\\example.com/',
      'https://example.com/a b',
      'https://',
      'https:///example.com/',
      'https:example.com/',
      'https:/example.com/',
    );
    bad.push(`https://example.com/${'a'.repeat(2_000)}`, `https://example.com/${'€'.repeat(400)}`);
    for (const text of bad.slice(-2))
      assert.deepEqual(readEndpointUrl(text, false), {
        kind: 'refused',
        detail: 'This must not have more than 2000 characters, with what must be written in percent signs.',
      });
    for (const url of bad) assert.ok(!accepts(url), url);
    for (const url of bad.slice(1)) assert.ok(!accepts(url, true), url);
  });

  it('does not lead to this machine or a private network, however the address is written', () => {
    const hosts = [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '127.0.0.1.',
      '①②⑦.0.0.1',
      '0',
      '0.0.0.0',
    ];
    hosts.push(
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[64:ff9b::7f00:1]',
      '[::127.0.0.1]',
      'localhost',
    );
    hosts.push(
      'LOCALHOST',
      'localhost.',
      'a.localhost',
      '10.0.0.1',
      '172.16.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '[fe80::1]',
    );
    hosts.push('[fd00:ec2::254]', '100.64.0.1', '224.0.0.1', '255.255.255.255', '240.0.0.1', '198.18.0.1', '192.0.2.1');
    for (const host of hosts) assert.ok(!accepts(`https://${host}/hook`), host);
  });

  it('names an address in the usual form only', () => {
    for (const host of ['134744072', '0x08080808', '010.8.8.8', '8.8.2056'])
      assert.ok(!accepts(`https://${host}/`), host);
  });

  it('does not lead to the ports of databases and mail', () => {
    for (const port of [0, 22, 25, 587, 3306, 5432, 6379, 9200, 11211, 27017])
      assert.ok(!accepts(`https://example.com:${port}/`), String(port));
  });

  it('may be http and loopback where local endpoints are allowed, and still no private network', () => {
    for (const host of ['127.0.0.1', '[::1]', 'localhost', 'a.localhost', '[::ffff:127.0.0.1]'])
      assert.ok(accepts(`http://${host}:9000/`, true), host);
    for (const host of ['10.0.0.1', '169.254.169.254', '0.0.0.0', '[fd00::1]', '100.64.0.1', '[64:ff9b::a00:1]'])
      assert.ok(!accepts(`http://${host}:9000/`, true), host);
  });
});

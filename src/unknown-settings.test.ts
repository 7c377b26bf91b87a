import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SETTINGS } from './settings.ts';
import { unknownSettings } from './unknown-settings.ts';

describe('unknownSettings', () => {
  it('names what looks like a setting and is none, so that a typing mistake shows', () => {
    const mistakes = { WAYPOST_PORT: '9000', WAYPOST_KEEP_EVENT_DAYS: '3', WAYPOST_LOG_LEVEL_FILE: '/level' };
    assert.deepEqual(unknownSettings(mistakes), Object.keys(mistakes).toSorted());
  });

  it('knows every setting, secrets by files, and the names that other programs of the project read', () => {
    const known = [...SETTINGS.map(({ name }) => name), 'WAYPOST_MASTER_KEY_FILE', 'DATABASE_URL_FILE', 'PATH', 'HOME'];
    const ofOthers = ['WAYPOST_CALLBACK_URL', 'WAYPOST_SANDBOX_LATENCY_MS', 'WAYPOST_SANDBOX_STATUSES'];
    const ofCustomers = ['WAYPOST_URL', 'WAYPOST_API_KEY', 'WAYPOST_PLATFORM_KEY', 'WAYPOST_TEST_POSTGRES_BIN'];
    const environment = Object.fromEntries([...known, ...ofOthers, ...ofCustomers].map((name) => [name, 'x']));
    assert.deepEqual(unknownSettings(environment), []);
  });

  it('takes what Kubernetes tells of services named waypost and waypost-metrics for no mistake', () => {
    const told = {
      WAYPOST_PORT: 'tcp://10.0.0.7:8080',
      WAYPOST_SERVICE_HOST: '10.0.0.7',
      WAYPOST_SERVICE_PORT_HTTP: '8080',
      WAYPOST_PORT_8080_TCP_ADDR: '10.0.0.7',
      WAYPOST_METRICS_SERVICE_HOST: '10.0.0.8',
      WAYPOST_DATABASE_PORT: 'tcp://10.0.0.9:5432',
    };
    assert.deepEqual(unknownSettings(told), []);
  });
});

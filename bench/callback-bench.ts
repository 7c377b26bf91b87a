import { randomBytes } from 'node:crypto';
import { startChild } from './harness/child.ts';
import type { Cleanup } from './harness/cleanup.ts';
import { makeDataDir, startGateway } from './harness/gateway.ts';
import { createGatewayApi, type GatewayApi } from './harness/gateway-api.ts';
import { ACCOUNTS, type LiveTenant, makeLiveAccounts } from './harness/platform.ts';
import { RAISED_LIMITS } from './harness/raised-limits.ts';

/** What a measurement needs to know of the servers. */
export interface CallbackBench {
  gatewayOrigin: string;
  gatewayPid: number;
  baselineOrigin: string;
  appSecret: string;
  api: GatewayApi;
  tenants: LiveTenant[];
}

/** Starts the servers, and connects a live channel for each account. */
export async function startCallbackBench(cleanup: Cleanup, gatewayNodeOptions: string[]): Promise<CallbackBench> {
  const dataDir = await makeDataDir(cleanup);
  const appSecret = randomBytes(16).toString('hex');
  const stub = await startChild(cleanup, 'stub.ts');
  const baseline = await startChild(cleanup, 'baselines/callback.ts', [appSecret]);
  const settings = { ...RAISED_LIMITS, WAYPOST_PROVIDER_URL: stub.origin, WAYPOST_APP_SECRETS: appSecret };
  const gateway = await startGateway(cleanup, dataDir, settings, gatewayNodeOptions);
  return {
    gatewayOrigin: gateway.origin,
    gatewayPid: gateway.pid,
    baselineOrigin: baseline.origin,
    appSecret,
    api: createGatewayApi(gateway.origin),
    tenants: await makeLiveAccounts(gateway, ACCOUNTS),
  };
}

import type { ApiErrorCode } from '../../src/kernel/errors.ts';
import type { Scope } from '../../src/kernel/principal.ts';
import type { Receiver } from '../endpoints/receiver.ts';
import type { TestAnswer, TestGateway } from '../support/gateway.ts';
import { assertProblem } from '../support/problem.ts';
import { type Model, type ModelAccount, type ModelData, type ModelKey, pick } from './model.ts';

/** What the model is compared with. */
export interface Real {
  gateway: TestGateway;
  /** Below its address each endpoint has a path of its own. */
  receiver: Receiver;
  /** Those of the sequences that are over. */
  models: Model[];
}

/** Who calls. Indices stand for one of those that there are, so that a shorter sequence still means something. */
export interface Caller {
  account: number;
  key: number;
}

export interface Called {
  account: ModelAccount;
  key: ModelKey;
  data: ModelData;
  answer: TestAnswer;
}

interface Call {
  method: string;
  path: string | ((data: ModelData, account: ModelAccount) => string);
  body?: unknown;
  headers?: Record<string, string>;
  /** undefined: any key may. */
  scope?: Scope;
}

/** Makes a call. If its key may not make it, asserts that it is refused as documented, and returns undefined. */
export async function callAs(model: Model, real: Real, caller: Caller, call: Call): Promise<Called | undefined> {
  const account = pick(model.accounts, caller.account);
  const key = account && pick(account.keys, caller.key);
  if (account === undefined || key === undefined) return undefined;
  const data = account.data[key.mode];
  const path = typeof call.path === 'string' ? call.path : call.path(data, account);
  const { body, headers = {} } = call;
  const answer = await real.gateway.call(call.method, path, {
    key: key.secret,
    headers,
    ...(body !== undefined && { body }),
  });
  const refusal = refusalOf(account, key, call);
  if (refusal === undefined) return { account, key, data, answer };
  assertProblem(answer, refusal);
  return undefined;
}

function refusalOf(account: ModelAccount, key: ModelKey, { method, scope }: Call): ApiErrorCode | undefined {
  if (key.revoked || key.expired || account.deleted) return 'invalid_api_key';
  if (account.suspended && method !== 'GET') return 'account_suspended';
  if (scope !== undefined && key.scopes?.includes(scope) === false) return 'insufficient_scope';
  return undefined;
}

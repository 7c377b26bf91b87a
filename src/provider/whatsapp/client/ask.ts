import { isRecord } from '../../../kernel/is-record.ts';
import type { ConnectOutcome } from '../../port.ts';
import { readFailure } from '../failures.ts';
import { readAnswerJson } from './answer.ts';
import type { Line, LineRequest } from './line.ts';

/** What the provider told, or why it did not. */
export type Asked = { kind: 'told'; json: Record<string, unknown> } | Exclude<ConnectOutcome, { kind: 'connected' }>;

/** Asks the provider for something that is no message, or to do it. All of it may be repeated at will. */
export async function ask(line: Line, request: LineRequest): Promise<Asked> {
  const seen = await line.call(request);
  if (seen.kind !== 'answered') return { kind: 'unavailable' };
  const json = readAnswerJson(seen.body);
  const isSuccess = seen.httpStatus >= 200 && seen.httpStatus < 300;
  if (isSuccess && isRecord(json) && json.error === undefined) return { kind: 'told', json };
  const failure = readFailure(seen.httpStatus, json);
  // That something went wrong on the provider's own side says nothing about the number or the token.
  if (failure.kind !== 'refused' || failure.error.code === 'provider_error') return { kind: 'unavailable' };
  const { title, details } = failure.error.provider ?? {};
  const detail = details ?? title ?? 'The provider gave no reason.';
  return { kind: 'refused', detail, accessRefused: failure.accessRefused };
}

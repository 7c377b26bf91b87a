import { isRecord } from '../../../kernel/is-record.ts';
import type { MessageError } from '../../../kernel/message-errors.ts';
import { messageErrorOf, subcodeOf } from '../failures.ts';
import { readProviderError } from '../provider-error.ts';
import { integerAt, type JsonObject, listOrOneAt } from './values.ts';

/** The failures in an object's `errors`, in our words; one that cannot be read is `provider_rejected`. */
export function readErrors(object: JsonObject): MessageError[] {
  return listOrOneAt(object, 'errors').map((error) => readError(isRecord(error) ? withNumbers(error) : error));
}

function readError(error: unknown): MessageError {
  const provider = readProviderError(error);
  if (provider === undefined) return { code: 'provider_rejected' };
  return provider.code === undefined
    ? { code: 'provider_rejected', provider }
    : messageErrorOf(provider.code, provider, subcodeOf(error));
}

/** A code may be written in digits here, as other numbers of notifications are. An answer's error is one by its number only. */
function withNumbers(error: JsonObject): JsonObject {
  return { ...error, code: integerAt(error, 'code'), error_subcode: integerAt(error, 'error_subcode') };
}

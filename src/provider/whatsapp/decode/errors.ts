import type { MessageError } from '../../../kernel/message-errors.ts';
import { messageErrorOf, subcodeOf } from '../failures.ts';
import { readProviderError } from '../provider-error.ts';
import { arrayAt, type JsonObject } from './values.ts';

/** The failures in an object's `errors`, in our words; one that cannot be read is `provider_rejected`. */
export function readErrors(object: JsonObject): MessageError[] {
  return arrayAt(object, 'errors').map(readError);
}

function readError(error: unknown): MessageError {
  const provider = readProviderError(error);
  if (provider === undefined) return { code: 'provider_rejected' };
  return provider.code === undefined
    ? { code: 'provider_rejected', provider }
    : messageErrorOf(provider.code, provider, subcodeOf(error));
}

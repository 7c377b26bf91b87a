import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { EVENT_TYPES } from '../endpoints/event-types.ts';
import { SCOPES } from '../operator/scopes.ts';
import { STATUSES } from '../parts/statuses.ts';
import { explainAttempt, explainDisabled, explainError } from '../parts/words.ts';

const { schemas } = JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8')).components;

describe('the words of the console', () => {
  it("are the API's own: event types, scopes and statuses", () => {
    assert.deepEqual(EVENT_TYPES, schemas.CreateEndpointBody.properties.types.items.enum);
    assert.deepEqual(SCOPES, schemas.CreateKeyBody.properties.scopes.items.enum);
    assert.deepEqual(STATUSES, schemas.MessageStatus.enum);
  });

  it('explain every reason for which an attempt fails or an endpoint is disabled, and wherever the cause of an error lies', () => {
    for (const reason of schemas.Attempt.properties.error.anyOf[0].enum)
      assert.match(explainAttempt(reason, null), /^[A-Z].* .*\.$/, reason);
    for (const reason of schemas.Endpoint.properties.disabled_reason.anyOf[0].enum)
      assert.match(explainDisabled(reason), /^[A-Z].* .*\.$/, reason);
    for (const fault of schemas.MessageError.properties.fault.enum)
      assert.doesNotMatch(explainError({ fault, retryable: false }), /elsewhere/, fault);
  });
});

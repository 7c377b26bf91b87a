import { ApiError, type Fault } from '../../kernel/errors.ts';
import { isRecord } from '../../kernel/is-record.ts';
import { jsonFaults } from '../../kernel/json-faults.ts';
import type { CheckComponents } from '../../provider/port.ts';
import { CONTENT_TYPES, contentTypeOf } from '../message.ts';
import { parseContent } from './parse-content.ts';
import { parseRecipients } from './parse-recipients.ts';
import { type ParseContext, readReference, refuseUnknownMembers } from './parse-values.ts';
import type { SendCommand } from './send-command.ts';
import { SEND_LIMITS } from './send-limits.ts';

/** Room for several faults of each of 50 recipients; a body could be made to hold some hundred thousand. */
const FAULTS_MAX = 1_000;

const MEMBERS = ['to', 'from', 'type', ...CONTENT_TYPES, 'client_reference'];

/**
 * Reads the body of a send. Throws `invalid_request` with every fault at once, then `too_many_recipients`. A recipient
 * whose text cannot be read is no fault of the request: it becomes an entry of its own. `queryFaults` are told with them.
 */
export function parseSend(
  body: unknown,
  checkComponents: CheckComponents,
  queryFaults: readonly Fault[] = [],
): SendCommand {
  if (!isRecord(body)) throw invalid([...queryFaults, { pointer: '#', detail: 'The body must be an object.' }]);
  const faults: Fault[] = [...queryFaults, ...jsonFaults(body)];
  refuseUnknownMembers(body, MEMBERS, '#', faults);
  const context = { faults, checkComponents };
  const content = parseContent(body, context);
  const recipients = readTo(body, context);
  const clientReference = readReference(body.client_reference, '#/client_reference', faults);
  const from = body.from;
  if (from !== undefined && typeof from !== 'string')
    faults.push({ pointer: '#/from', detail: 'This must be a string.' });
  if (faults.length > 0 || content === undefined) throw invalid(faults);
  if (recipients.length > SEND_LIMITS.recipients)
    throw new ApiError(
      'too_many_recipients',
      `There are ${recipients.length} recipients; ${SEND_LIMITS.recipients} are allowed.`,
    );
  return {
    content,
    recipients,
    ...(typeof from === 'string' && { from }),
    ...(clientReference !== undefined && { clientReference }),
  };
}

function readTo(body: Record<string, unknown>, context: ParseContext) {
  if (body.to === undefined) {
    context.faults.push({ pointer: '#/to', detail: 'This member is missing.' });
    return [];
  }
  // Where the type cannot be read, a template may be meant.
  const type = contentTypeOf(body.type) ?? 'template';
  return parseRecipients(body.to, { ...context, componentsAllowed: type === 'template' });
}

function invalid(errors: Fault[]): ApiError {
  const detail = errors.some((fault) => 'pointer' in fault)
    ? 'The body is not a valid send.'
    : 'The query is not valid.';
  return new ApiError('invalid_request', detail, { errors: errors.slice(0, FAULTS_MAX) });
}

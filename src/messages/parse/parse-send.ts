import { ApiError, type Fault } from '../../kernel/errors.ts';
import { isRecord } from '../../kernel/is-record.ts';
import { jsonFaults } from '../../kernel/json-faults.ts';
import type { CheckComponents, MessageContent } from '../../provider/port.ts';
import { parseRecipients } from './parse-recipients.ts';
import { readReference, readText, refuseUnknownMembers } from './parse-values.ts';
import type { SendCommand } from './send-command.ts';
import { SEND_LIMITS } from './send-limits.ts';

/** Room for several faults of each of 50 recipients; a body could be made to hold some hundred thousand. */
const FAULTS_MAX = 1_000;

const MEMBERS = ['to', 'from', 'type', 'text', 'template', 'client_reference'];

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
  const content = readContent(body, checkComponents, faults);
  const recipients = readTo(body, checkComponents, faults);
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

function readTo(body: Record<string, unknown>, checkComponents: CheckComponents, faults: Fault[]) {
  if (body.to === undefined) {
    faults.push({ pointer: '#/to', detail: 'This member is missing.' });
    return [];
  }
  return parseRecipients(body.to, { faults, checkComponents, componentsAllowed: body.type !== 'text' });
}

function readContent(
  body: Record<string, unknown>,
  checkComponents: CheckComponents,
  faults: Fault[],
): MessageContent | undefined {
  const { type } = body;
  if (type !== 'text' && type !== 'template') {
    const detail = type === undefined ? 'This member is missing.' : 'This must be "text" or "template".';
    faults.push({ pointer: '#/type', detail });
    // What is meant is not known, and what is wrong with it is wrong all the same.
    if (body.text !== undefined) readNamed(body, 'text', checkComponents, faults);
    if (body.template !== undefined) readNamed(body, 'template', checkComponents, faults);
    return undefined;
  }
  const other = type === 'text' ? 'template' : 'text';
  if (body[other] !== undefined)
    faults.push({ pointer: `#/${other}`, detail: `This must not be there when "type" is "${type}".` });
  return readNamed(body, type, checkComponents, faults);
}

function readNamed(
  body: Record<string, unknown>,
  type: MessageContent['type'],
  checkComponents: CheckComponents,
  faults: Fault[],
): MessageContent | undefined {
  const value = body[type];
  if (!isRecord(value)) {
    faults.push({
      pointer: `#/${type}`,
      detail: value === undefined ? 'This member is missing.' : 'This must be an object.',
    });
    return undefined;
  }
  return type === 'text' ? readTextContent(value, faults) : readTemplate(value, checkComponents, faults);
}

function readTextContent(value: Record<string, unknown>, faults: Fault[]): MessageContent | undefined {
  refuseUnknownMembers(value, ['body', 'preview_url'], '#/text', faults);
  const body = readText(value.body, SEND_LIMITS.bodyCharacters, '#/text/body', faults);
  const { preview_url: previewUrl = false } = value;
  if (typeof previewUrl !== 'boolean') {
    faults.push({ pointer: '#/text/preview_url', detail: 'This must be true or false.' });
    return undefined;
  }
  return body === undefined ? undefined : { type: 'text', text: { body, preview_url: previewUrl } };
}

function readTemplate(
  value: Record<string, unknown>,
  checkComponents: CheckComponents,
  faults: Fault[],
): MessageContent | undefined {
  refuseUnknownMembers(value, ['name', 'language', 'components'], '#/template', faults);
  const name = readText(value.name, SEND_LIMITS.templateNameCharacters, '#/template/name', faults);
  const language = readLanguage(value.language, faults);
  const components = value.components;
  const checked = components === undefined ? undefined : checkComponents(components, '#/template/components');
  if (checked !== undefined && 'faults' in checked) {
    faults.push(...checked.faults);
    return undefined;
  }
  if (name === undefined || language === undefined) return undefined;
  return { type: 'template', template: { name, language, ...checked } };
}

function readLanguage(language: unknown, faults: Fault[]): string | undefined {
  if (!isRecord(language)) return readText(language, SEND_LIMITS.languageCharacters, '#/template/language', faults);
  refuseUnknownMembers(language, ['code'], '#/template/language', faults);
  return readText(language.code, SEND_LIMITS.languageCharacters, '#/template/language/code', faults);
}

function invalid(errors: Fault[]): ApiError {
  const detail = errors.some((fault) => 'pointer' in fault)
    ? 'The body is not a valid send.'
    : 'The query is not valid.';
  return new ApiError('invalid_request', detail, { errors: errors.slice(0, FAULTS_MAX) });
}

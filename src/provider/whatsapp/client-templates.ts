import type { ProviderTemplate, Sender, TemplatesOutcome } from '../port.ts';
import { readAnswerJson } from './client-answer.ts';
import type { Line } from './client-line.ts';
import { isRecord } from './json.ts';

const FIELDS = 'name,language,status,category';
/** A name has one template for each language; the provider knows fewer than this many. */
const LIMIT = 100;

/**
 * Asks for the templates of one name. The provider's filter also finds names that only contain it.
 * https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account/message_templates/
 */
export async function findTemplates(
  line: Line,
  { accessToken }: Sender,
  businessAccountId: string,
  name: string,
): Promise<TemplatesOutcome> {
  const query = new URLSearchParams({ name, fields: FIELDS, limit: String(LIMIT) });
  const path = `/${encodeURIComponent(businessAccountId)}/message_templates?${query}`;
  const seen = await line.call({ method: 'GET', path, accessToken });
  if (seen.kind !== 'answered' || seen.httpStatus !== 200) return { kind: 'unavailable' };
  const json = readAnswerJson(seen.body);
  const data = isRecord(json) ? json.data : undefined;
  if (!Array.isArray(data)) return { kind: 'unavailable' };
  return { kind: 'found', templates: data.flatMap(readTemplate).filter((template) => template.name === name) };
}

function readTemplate(value: unknown): ProviderTemplate[] {
  if (!isRecord(value)) return [];
  const { name, language, status, category } = value;
  if (typeof name !== 'string' || typeof language !== 'string') return [];
  return [{ name, language, status: wordOf(status), category: wordOf(category) }];
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : 'unknown';
}

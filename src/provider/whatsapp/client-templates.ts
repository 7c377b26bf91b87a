import type { ProviderTemplate, Sender, TemplatesOutcome } from '../port.ts';
import { readAnswerJson } from './client-answer.ts';
import type { Line } from './client-line.ts';
import { isRecord } from './json.ts';

const FIELDS = 'id,name,language,status,category,parameter_format,components,quality_score';
const PAGE = 100;
/** The provider allows 6,000 templates a business account; this is a stop for a paging that never ends. */
const PAGES_MAX = 1_000;

/**
 * Reads templates page by page. A page that fails makes the whole reading `unavailable`: half a list would look as if
 * the rest were gone. The provider's filter by name also finds names that only contain it.
 * https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account/message_templates/
 */
export async function listTemplates(
  line: Line,
  { accessToken }: Sender,
  businessAccountId: string,
  name: string | undefined,
): Promise<TemplatesOutcome> {
  const templates: ProviderTemplate[] = [];
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const query = new URLSearchParams({ fields: FIELDS, limit: String(PAGE) });
    if (name !== undefined) query.set('name', name);
    if (after !== undefined) query.set('after', after);
    const path = `/${encodeURIComponent(businessAccountId)}/message_templates?${query}`;
    const seen = await line.call({ method: 'GET', path, accessToken });
    if (seen.kind !== 'answered' || seen.httpStatus !== 200) return { kind: 'unavailable' };
    const read = readPage(readAnswerJson(seen.body));
    if (read === undefined) return { kind: 'unavailable' };
    templates.push(...read.templates.filter((template) => name === undefined || template.name === name));
    if (read.after === undefined) return { kind: 'found', templates };
    after = read.after;
  }
  return { kind: 'unavailable' };
}

/** The cursor stands on the last page too; only `next` tells whether there is another one. */
function readPage(json: unknown): { templates: ProviderTemplate[]; after: string | undefined } | undefined {
  if (!isRecord(json) || !Array.isArray(json.data)) return undefined;
  const paging = isRecord(json.paging) ? json.paging : {};
  const cursors = isRecord(paging.cursors) ? paging.cursors : {};
  const after = typeof paging.next === 'string' && typeof cursors.after === 'string' ? cursors.after : undefined;
  return { templates: json.data.flatMap(readTemplate), after };
}

function readTemplate(value: unknown): ProviderTemplate[] {
  if (!isRecord(value)) return [];
  const { id, name, language, status, category, parameter_format: format, components, quality_score: quality } = value;
  if (typeof name !== 'string' || typeof language !== 'string') return [];
  return [
    {
      id: typeof id === 'string' || typeof id === 'number' ? String(id) : '',
      name,
      language,
      status: wordOf(status) ?? 'unknown',
      category: wordOf(category) ?? 'unknown',
      parameterFormat: wordOf(format) === 'named' ? 'named' : 'positional',
      components: Array.isArray(components) ? components : [],
      quality: isRecord(quality) ? wordOf(quality.score) : null,
    },
  ];
}

function wordOf(value: unknown): string | null {
  return typeof value === 'string' ? value.toLowerCase() : null;
}

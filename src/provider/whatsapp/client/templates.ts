import { isRecord } from '../../../kernel/is-record.ts';
import type { ProviderTemplate, Sender, TemplatesOutcome } from '../../port.ts';
import { parseJson } from '../decode/json.ts';
import { arrayAt, idAt, keptJson, objectAt, textAt, wordAt } from '../decode/values.ts';
import { readFailure } from '../failures.ts';
import { type Answer, readAnswerJson } from './answer.ts';
import type { Line } from './line.ts';

const FIELDS = 'id,name,language,status,category,parameter_format,components,quality_score';
/** Rich templates can make a page larger than an answer may be: it is asked for anew in halves, down to one template. */
const PAGE_MAX = 100;
/** The provider allows 6,000 templates a business account; this is a stop for a paging that never ends. */
const PAGES_MAX = 1_000;
/** What a send can name at most; a database index takes no endless key. */
const NAME_CHARACTERS_MAX = 512;
const LANGUAGE_CHARACTERS_MAX = 35;

/**
 * Reads templates page by page. A page that fails makes the whole reading `unavailable`: half a list would look as if
 * the rest were gone. The provider's filter by name also finds names that only contain it.
 * https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account/message_templates/
 */
export async function listTemplates(
  line: Line,
  sender: Sender,
  businessAccountId: string,
  name: string | undefined,
): Promise<TemplatesOutcome> {
  const templates: ProviderTemplate[] = [];
  const seenCursors = new Set<string>();
  let after: string | undefined;
  let limit = PAGE_MAX;
  for (let page = 0; page < PAGES_MAX; page++) {
    const query = new URLSearchParams({ fields: FIELDS, limit: String(limit) });
    if (name !== undefined) query.set('name', name);
    if (after !== undefined) query.set('after', after);
    const path = `/${encodeURIComponent(businessAccountId)}/message_templates?${query}`;
    const seen = await line.call({ sender, method: 'GET', path });
    if (seen.kind === 'broken' && seen.reason === 'too_large' && limit > 1) {
      limit = Math.ceil(limit / 2);
      continue;
    }
    if (seen.kind !== 'answered') return UNAVAILABLE;
    if (seen.httpStatus !== 200) return { kind: 'unavailable', accessRefused: refusesAccess(seen) };
    const json = parseJson(seen.body);
    const read = json.kind === 'json' ? readPage(json.value) : undefined;
    if (read === undefined) return UNAVAILABLE;
    templates.push(...read.templates.filter((template) => name === undefined || template.name === name));
    if (read.after === undefined) return { kind: 'found', templates };
    // A cursor that comes back would have the same pages read until `PAGES_MAX`.
    if (seenCursors.has(read.after)) return UNAVAILABLE;
    seenCursors.add(read.after);
    after = read.after;
  }
  return UNAVAILABLE;
}

const UNAVAILABLE: TemplatesOutcome = { kind: 'unavailable', accessRefused: false };

function refusesAccess({ httpStatus, body }: Answer): boolean {
  const failure = readFailure(httpStatus, readAnswerJson(body));
  return failure.kind === 'refused' && failure.accessRefused;
}

/**
 * The last page has a cursor too; only `next` tells whether there is another page. Undefined for what is no page, and for a page that
 * has a `next` but no cursor: taken for the last one, it would make the templates of the pages after it look deleted.
 */
function readPage(json: unknown): { templates: ProviderTemplate[]; after: string | undefined } | undefined {
  if (!isRecord(json) || !Array.isArray(json.data)) return undefined;
  const paging = objectAt(json, 'paging');
  const templates = json.data.flatMap(readTemplate);
  if (typeof paging.next !== 'string') return { templates, after: undefined };
  const after = textAt(objectAt(paging, 'cursors'), 'after');
  return after === undefined ? undefined : { templates, after };
}

/** Characters that PostgreSQL cannot store are replaced, so that one odd template does not keep all the others away. */
function readTemplate(listed: unknown): ProviderTemplate[] {
  if (!isRecord(listed)) return [];
  const [name, language] = [textAt(listed, 'name'), textAt(listed, 'language')];
  if (name === undefined || name.length > NAME_CHARACTERS_MAX) return [];
  if (language === undefined || language.length > LANGUAGE_CHARACTERS_MAX) return [];
  return [
    {
      id: idAt(listed, 'id') ?? '',
      name,
      language,
      status: wordAt(listed, 'status') ?? 'unknown',
      category: wordAt(listed, 'category') ?? 'unknown',
      parameterFormat: wordAt(listed, 'parameter_format') === 'named' ? 'named' : 'positional',
      components: arrayAt(listed, 'components')
        .filter(isRecord)
        .map((component) => keptJson(component)),
      quality: wordAt(objectAt(listed, 'quality_score'), 'score') ?? null,
    },
  ];
}

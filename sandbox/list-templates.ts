import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authorize } from './authorize.ts';
import type { Context } from './context.ts';
import { pickFields } from './fields.ts';
import { parameterError } from './graph-error.ts';
import { cutPage } from './page.ts';
import { isText, parseJson, plainText } from './read-json.ts';
import { templateId } from './registry.ts';
import { queryText, VERSION } from './request.ts';
import type { Template } from './template.ts';

const DEFAULT_FIELDS = ['name', 'parameter_format', 'components', 'language', 'status', 'category', 'id'];
const LIMIT_DEFAULT = 25;
const LIMIT_MAX = 1_000;

/** `GET /{version}/{business_account_id}/message_templates`: filtered, and cut into pages as Graph cuts them. */
export function listTemplatesRoute(app: FastifyInstance, { registry, directory }: Context): void {
  app.get<{ Params: { id: string } }>(`${VERSION}/:id/message_templates`, async (request) => {
    const { id } = request.params;
    directory.noteToken(authorize(request), id);
    const asked = queryText(request, 'fields');
    const found = registry.templatesOf(id).filter(matches(request));
    const page = cutPage(found, {
      limit: readLimit(queryText(request, 'limit')),
      after: queryText(request, 'after'),
      before: queryText(request, 'before'),
    });
    const data = page.items.map((template) =>
      pickFields(node(id, template), { asked, defaults: DEFAULT_FIELDS, nodeType: 'WhatsAppMessageTemplate' }),
    );
    return page.cursors === undefined ? { data } : { data, paging: paging(request, page) };
  });
}

/** A template matches `name` if that is a part of its name. The other filters take one word, or a JSON list of words. */
function matches(request: FastifyRequest): (template: Template) => boolean {
  const name = queryText(request, 'name') ?? queryText(request, 'name_or_content') ?? '';
  const statuses = readWords(queryText(request, 'status'));
  const categories = readWords(queryText(request, 'category'));
  const languages = readWords(queryText(request, 'language'));
  return (template) =>
    template.name.includes(name) &&
    (statuses === undefined || statuses.includes(template.status.toLowerCase())) &&
    (categories === undefined || categories.includes(template.category.toLowerCase())) &&
    (languages === undefined || languages.includes(template.language.toLowerCase()));
}

function readWords(text: string | undefined): string[] | undefined {
  if (!isText(text)) return undefined;
  const list = parseJson(text);
  const words = Array.isArray(list) ? list.map((word: unknown) => plainText(word) ?? '') : text.split(',');
  return words.map((word) => word.trim().toLowerCase());
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return LIMIT_DEFAULT;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1)
    throw parameterError('Param limit must be a number that is greater than 0.');
  return Math.min(limit, LIMIT_MAX);
}

function node(businessAccountId: string, template: Template): Record<string, unknown> {
  return {
    ...template,
    id: templateId(businessAccountId, template),
    previous_category: null,
    correct_category: null,
    sub_category: null,
    message_send_ttl_seconds: null,
    library_template_name: null,
    cta_url_link_tracking_opted_out: false,
  };
}

/** The links lead to the address that the request was sent to. Unlike the provider's links they carry no access token. */
function paging(request: FastifyRequest, page: ReturnType<typeof cutPage>): unknown {
  const link = (name: 'after' | 'before', cursor: string | undefined): string => {
    const url = new URL(request.url, `http://${request.host}`);
    for (const parameter of ['after', 'before', 'access_token']) url.searchParams.delete(parameter);
    url.searchParams.set(name, cursor ?? '');
    return url.href;
  };
  return {
    cursors: page.cursors,
    ...(page.hasPrevious ? { previous: link('before', page.cursors?.before) } : {}),
    ...(page.hasNext ? { next: link('after', page.cursors?.after) } : {}),
  };
}

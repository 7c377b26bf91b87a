import type { Http } from './http.ts';
import type { CallOptions } from './options.ts';
import { eachOf, type Page, type PageQuery } from './pages.ts';
import type { Template, TemplateSync } from './types.ts';

export interface TemplateQuery extends PageQuery {
  /** The name that a send gives; each of its languages is a template. */
  name?: string | undefined;
  /** A code such as `en_US`. */
  language?: string | undefined;
  /** In lower case, such as `approved`. */
  status?: string | undefined;
  /** The id or phone number of a channel: only those of its business account, which are those that it can send. */
  from?: string | undefined;
}

export interface TemplateCalls {
  /** One template, by its `tpl_` id. */
  get(id: string, options?: CallOptions): Promise<Template>;
  /** One page, newest first. */
  list(query?: TemplateQuery, options?: CallOptions): Promise<Page<Template>>;
  /** All that match, newest first. A page is read when it is needed. */
  iterate(query?: TemplateQuery, options?: CallOptions): AsyncGenerator<Template, void>;
  /** Reads all templates from the provider now, and says what has changed by that. */
  sync(options?: CallOptions): Promise<TemplateSync>;
}

const PATH = '/api/v1/templates';

export function templateCalls(http: Http): TemplateCalls {
  const list: TemplateCalls['list'] = (query = {}, { signal } = {}) =>
    http.read(PATH, 'data', { query: { ...query }, signal });
  return {
    list,
    iterate: (query = {}, options) => eachOf(list, query, options),
    get: (id, { signal } = {}) => http.read(`${PATH}/${encodeURIComponent(id)}`, 'id', { signal }),
    sync: ({ signal } = {}) =>
      http.call({ method: 'POST', path: `${PATH}/sync`, repeatable: 'always', proof: 'total', signal }),
  };
}

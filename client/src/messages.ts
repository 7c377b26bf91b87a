import type { Http } from './http.ts';
import type { CallOptions } from './options.ts';
import { eachOf, type Page, type PageQuery } from './pages.ts';
import type { Message, MessageStatus, MessageWithTimeline } from './types.ts';

/** Only messages for which everything that is given holds. */
export interface MessageQuery extends PageQuery {
  /** Those of one send. */
  request_id?: string | undefined;
  /** The provider's id of the message. */
  message_id?: string | undefined;
  /** Your own name for the message, as the send gave it. */
  client_reference?: string | undefined;
  /** The number in E.164 form, or the user id, that they went to. */
  to?: string | undefined;
  /** The number in E.164 form, or the user id, of a person that they went to or came from. */
  person?: string | undefined;
  status?: MessageStatus | undefined;
  direction?: 'outbound' | 'inbound' | undefined;
  /** Those created then or later: an RFC 3339 time, such as `new Date(ms).toISOString()`. */
  since?: string | undefined;
}

export interface MessageCalls {
  /** One message, with its timeline. */
  get(id: string, options?: CallOptions): Promise<MessageWithTimeline>;
  /** One page, newest first. */
  list(query?: MessageQuery, options?: CallOptions): Promise<Page<Message>>;
  /** All messages that match, newest first. A page is read when it is needed. */
  iterate(query?: MessageQuery, options?: CallOptions): AsyncGenerator<Message, void>;
}

const PATH = '/api/v1/messages';

export function messageCalls(http: Http): MessageCalls {
  const list: MessageCalls['list'] = (query = {}, { signal } = {}) =>
    http.read(PATH, 'data', { query: { ...query }, signal });
  return {
    list,
    iterate: (query = {}, options) => eachOf(list, query, options),
    get: (id, { signal } = {}) => http.read(`${PATH}/${encodeURIComponent(id)}`, 'id', { signal }),
  };
}

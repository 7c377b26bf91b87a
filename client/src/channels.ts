import type { Http } from './http.ts';
import type { CallOptions } from './options.ts';
import { eachOf, type Page, type PageQuery } from './pages.ts';
import type { Channel } from './types.ts';

export interface ChannelCalls {
  /** One page of the channels of the key's mode, newest first. */
  list(query?: PageQuery, options?: CallOptions): Promise<Page<Channel>>;
  /** All of them, newest first. A page is read when it is needed. */
  iterate(query?: PageQuery, options?: CallOptions): AsyncGenerator<Channel, void>;
}

export function channelCalls(http: Http): ChannelCalls {
  const list: ChannelCalls['list'] = (query = {}, { signal } = {}) =>
    http.read('/api/v1/channels', 'data', { query: { ...query }, signal });
  return {
    list,
    iterate: (query = {}, options) => eachOf(list, query, options),
  };
}

import { Waypost, type WaypostOptions } from '../client/src/index.ts';
import type { Api } from './api.ts';

/** The project's own client for the same gateway and key, for what takes more than a single call. */
export function clientOf({ url, key }: Api, options: Partial<WaypostOptions> = {}): Waypost {
  return new Waypost({ baseUrl: url, apiKey: key, ...options });
}

import type { Page } from 'playwright-core';

/**
 * Ends every `route` of the page, after what its handlers have begun.
 *
 * `page.unroute` does not wait: a call that a handler is just fetching is then let through by the browser, and the handler's own `fulfill`
 * fails with "Route is already handled!", in whichever test runs by then. A page that asks again and again has such a call at any moment.
 */
export function letThrough(page: Page): Promise<void> {
  return page.unrouteAll({ behavior: 'wait' });
}

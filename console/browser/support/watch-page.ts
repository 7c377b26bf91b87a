import type { Page } from 'playwright-core';

/** A browser writes this line for every answer above 399 and every lost connection, even if the page shows these itself. */
const ANSWERED = /^Failed to load resource: (the server responded with a status of|net::ERR_)/;

/** Collects what must not happen on any page: errors, refusals by the content policy, and calls to another origin. */
export function watchPage(page: Page, origin: string, complaints: string[]): void {
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('console', (line) => {
    if (line.type() !== 'error' && line.type() !== 'warning') return;
    if (!ANSWERED.test(line.text())) complaints.push(`console: ${line.text()}`);
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(origin)) complaints.push(`another origin: ${request.url()}`);
  });
}

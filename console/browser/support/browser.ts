import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where Debian, and most other systems, put it. */
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Starts the browser of CHROMIUM_PATH, or the system's. */
export function startBrowser(): Promise<Browser> {
  const path = process.env.CHROMIUM_PATH ?? PLACES.find((place) => existsSync(place));
  if (path === undefined)
    throw new Error('There is no Chromium. Run scripts/install-browser.sh, or set CHROMIUM_PATH.');
  return chromium.launch({
    executablePath: path,
    // Root's processes cannot have the sandbox; containers have little shared memory. Only our own pages are opened.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--force-color-profile=srgb'],
  });
}

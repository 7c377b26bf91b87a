import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where Debian and most other systems install it. */
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Starts the browser that CHROMIUM_PATH names, or the system's. */
export function startBrowser(): Promise<Browser> {
  const path = process.env.CHROMIUM_PATH ?? PLACES.find((place) => existsSync(place));
  if (path === undefined)
    throw new Error('There is no Chromium. Run scripts/install-browser.sh, or set CHROMIUM_PATH.');
  return chromium.launch({
    executablePath: path,
    // A browser that runs as root cannot have its sandbox, and containers have little shared memory. Only our own pages are opened in it.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--force-color-profile=srgb'],
  });
}

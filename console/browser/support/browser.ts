import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where Debian and most other systems install it. The one without windows is the quickest. */
const PLACES = [
  ...['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'],
  ...['/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
];

/**
 * With each window Chromium makes two pages for its own address bar ready, and a process for a page that may come: half of the processor
 * time that it takes for these tests. This list replaces the one that Playwright passes, so those of its names that matter here are in it.
 */
const LEFT_OUT = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess'],
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades', 'PaintHolding'],
  ...['AimEnabled', 'NetworkTimeServiceQuerying', 'OptimizationHints', 'PreconnectToSearch'],
];

/** Starts the browser that CHROMIUM_PATH names, or the system's. */
export function startBrowser(): Promise<Browser> {
  const path = process.env.CHROMIUM_PATH ?? PLACES.find((place) => existsSync(place));
  if (path === undefined)
    throw new Error('There is no Chromium. Run scripts/install-browser.sh, or set CHROMIUM_PATH.');
  return chromium.launch({
    executablePath: path,
    // A browser that runs as root cannot have its sandbox, and containers have little shared memory. Only our own pages are opened in it.
    args: [
      ...['--no-sandbox', '--disable-dev-shm-usage', '--force-color-profile=srgb'],
      `--disable-features=${LEFT_OUT.join(',')}`,
    ],
  });
}

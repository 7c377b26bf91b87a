import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

/**
 * The console is served below /console, with a policy that allows only files of this origin. So nothing is inlined into the page: no
 * script, no style, and no file that is small enough for a data URL. The files name one another by relative paths, because a proxy may put
 * the gateway below a path.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [
    svelte({
      configFile: false,
      onwarn(warning) {
        // Most warnings of the compiler are about accessibility. None of them is tolerated.
        throw new Error(`${warning.filename ?? ''} ${warning.code}: ${warning.message}`);
      },
    }),
  ],
  build: {
    // The first that have `light-dark()` of CSS and `AbortSignal.any()`. What else they lack is in the tests of the oldest browsers.
    target: ['chrome123', 'firefox124', 'safari17.5'],
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Where the time of a build goes is of no use to somebody who runs `npm start` for the first time, on a slow machine.
    rolldownOptions: { checks: { pluginTimings: false } },
  },
});

import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

/**
 * The console is served below /console under a policy that allows files of this origin only. So nothing is written
 * into the page itself: no script, no style and no file small enough to become an address. Its files name one another by
 * where they stand, because a proxy may put the gateway below a path.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [
    svelte({
      configFile: false,
      onwarn(warning) {
        // The compiler's warnings are about accessibility mostly: none is let through.
        throw new Error(`${warning.filename ?? ''} ${warning.code}: ${warning.message}`);
      },
    }),
  ],
  build: {
    target: ['chrome123', 'firefox121', 'safari17.5'],
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});

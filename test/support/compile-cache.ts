import { fileURLToPath } from 'node:url';

/**
 * Where the test files, and the processes that they start, keep their compiled sources (NODE_COMPILE_CACHE). They share it: otherwise each
 * would strip and compile the whole gateway anew.
 */
export const COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/waypost', import.meta.url));

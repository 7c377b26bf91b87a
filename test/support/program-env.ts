import { COMPILE_CACHE } from './compile-cache.ts';

/** The environment of a program of ours that a test starts: nothing from that of the test, but the place of what is compiled already. */
export const PROGRAM_ENV = { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE };

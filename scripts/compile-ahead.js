// Loads the gateway's sources and ends. At its end Node writes the stripped and compiled sources into the cache.
import module from 'node:module';
import { limitHeap } from './limit-heap.js';

const [cacheDir] = process.argv.slice(2);
// First, because sources that were compiled with other flags are not taken from the cache.
limitHeap();
module.enableCompileCache(cacheDir);
await import('../src/main.ts');
await import('../src/endpoints/call/thread-entry.ts');

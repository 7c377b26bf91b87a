// Loads the gateway's sources and ends: at its end Node writes what it has stripped and compiled into the cache.
import module from 'node:module';
import { limitHeap } from './limit-heap.js';

const [cacheDir] = process.argv.slice(2);
// What is compiled with other flags is not taken from the cache.
limitHeap();
module.enableCompileCache(cacheDir);
await import('../src/main.ts');
await import('../src/endpoints/call/thread-entry.ts');

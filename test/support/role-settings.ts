import { read } from './tree.ts';

/** What the guide to failover lets the administrator set for the gateway's role, in its order; but for what only newer servers know. */
export function roleSettings(): { name: string; value: string }[] {
  const lines = read('docs/guides/failover.md').matchAll(/^alter role waypost set (\w+) = (.+);$/gm);
  return [...lines].map(([, name = '', value = '']) => ({ name, value }));
}

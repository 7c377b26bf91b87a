import { createMetrics } from '../src/observe/metrics.ts';

/** The page that lists every metric of the gateway's own. */
export function metricsPage(): string {
  const rows = createMetrics()
    .describe()
    .map(
      ({ name, kind, help, labels }) =>
        `| \`${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`,
    );
  return `# Metrics

What \`GET /metrics\` on the internal listener (\`WAYPOST_METRICS_PORT\`) tells, in Prometheus' text format, beside what
\`prom-client\` tells of the process (\`process_...\`, \`nodejs_...\`). [Monitoring](guides/monitoring.md) says what to watch.
Times are in seconds. Labels never name an account, a number or a message. A queue's length is the database's, so it is the same on every node.

| metric | kind | labels | meaning |
|---|---|---|---|
${rows.join('\n')}

This page is made from \`src/observe\` by \`npm run generate\`.
`;
}

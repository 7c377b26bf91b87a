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

This page lists the metrics of \`GET /metrics\` on the internal listener (\`WAYPOST_METRICS_PORT\`), in Prometheus' text format. There are also
those of the process, which \`prom-client\` adds (\`process_...\`, \`nodejs_...\`). [Monitoring](guides/monitoring.md) says what to watch.

Times are in seconds. Labels never name an account, a number or a message. The length of a queue is read from the database, so it is the
same on every node: do not add it up.

| metric | kind | labels | meaning |
|---|---|---|---|
${rows.join('\n')}

This page is made from \`src/observe\` by \`npm run generate\`.
`;
}

/**
 * How a setting is written and read. `secrets` are a list, separated by commas. An operator may be shown all kinds but
 * `secret` and `secrets`.
 */
type Kind = 'text' | 'integer' | 'switch' | 'secret' | 'secrets' | 'port';

export interface Setting {
  name: string;
  kind: Kind;
  default?: string;
  min?: number;
  max?: number;
  /** One sentence for the operator. */
  help: string;
}

/** Ten years. */
const KEEP_DAYS_MAX = 3_650;

/**
 * Every setting of the gateway. `.env.example` and docs/settings.md are generated from this table. A `secret` or
 * `secrets` setting may also be given as `<NAME>_FILE`: the path of a file that holds it, one value a line.
 */
export const SETTINGS = [
  {
    name: 'NODE_ENV',
    kind: 'text',
    default: 'development',
    help: 'With `production`, secrets must be given and no demonstration account is made; `prod` and the like are refused.',
  },
  { name: 'PORT', kind: 'port', default: '8080', help: 'The port of the public listener; 0 takes any free port.' },
  { name: 'HOST', kind: 'text', default: '127.0.0.1', help: 'The address that the listeners bind to.' },
  {
    name: 'WAYPOST_PUBLIC_URL',
    kind: 'text',
    help: 'How the world reaches the gateway: the base of every address in answers. Default: `http://HOST:PORT`, with an address of this machine if `HOST` is all addresses.',
  },
  {
    name: 'WAYPOST_DATA_DIR',
    kind: 'text',
    default: '.waypost',
    help: 'Where the embedded database, `dev.json` and secrets made at the first start are kept.',
  },
  {
    name: 'DATABASE_URL',
    kind: 'secret',
    help: 'A PostgreSQL 15 or newer. Without it an embedded one runs in the data folder.',
  },
  {
    name: 'WAYPOST_DATABASE_CONNECTIONS',
    kind: 'integer',
    default: '10',
    min: 4,
    max: 200,
    help: 'The most connections that one gateway opens to the database.',
  },
  {
    name: 'WAYPOST_DATABASE_WAIT_MS',
    kind: 'integer',
    default: '60000',
    min: 0,
    max: 3_600_000,
    help: 'How long a start waits for a database that cannot be reached. It ends at once if waiting does not help, as with a wrong password.',
  },
  {
    name: 'WAYPOST_PROVIDER_URL',
    kind: 'text',
    default: 'https://graph.facebook.com',
    help: "Where live channels send to: the address of the provider's API.",
  },
  { name: 'WAYPOST_PROVIDER_VERSION', kind: 'text', default: 'v25.0', help: "The version of the provider's API." },
  {
    name: 'WAYPOST_PROVIDER_TIMEOUT_MS',
    kind: 'integer',
    default: '10000',
    min: 100,
    max: 120_000,
    help: "How long one transmit may wait for the provider's whole answer.",
  },
  {
    name: 'WAYPOST_PROVIDER_CONNECTIONS',
    kind: 'integer',
    default: '64',
    min: 1,
    max: 1_000,
    help: 'The most connections that one gateway keeps open to the provider, and as many to the sandbox.',
  },
  {
    name: 'WAYPOST_PROXY_URL',
    kind: 'secret',
    help: "The HTTP proxy through which the provider and customers' endpoints are called, with a user and password if it asks for them. Default: none.",
  },
  {
    name: 'WAYPOST_SEND_DEADLINE_MS',
    kind: 'integer',
    default: '25000',
    min: 500,
    max: 120_000,
    help: 'The send answers within this time, whatever the provider does.',
  },
  {
    name: 'WAYPOST_SENDS_MAX',
    kind: 'integer',
    default: '2000',
    min: 1,
    max: 100_000,
    help: 'The most sends that one gateway carries out at once; the next one is answered 503. A send counts once for every 8 KiB of its body, or part of them.',
  },
  {
    name: 'WAYPOST_RATE_REQUESTS',
    kind: 'integer',
    default: '50',
    min: 1,
    max: 1_000_000,
    help: 'Requests a second that one key may make.',
  },
  {
    name: 'WAYPOST_RATE_RECIPIENTS',
    kind: 'integer',
    default: '500',
    min: 50,
    max: 10_000_000,
    help: 'Recipients a second that one key may send to.',
  },
  {
    name: 'WAYPOST_APP_SECRETS',
    kind: 'secrets',
    help: 'The app secrets that sign live notifications; the first is current.',
  },
  {
    name: 'WAYPOST_VERIFY_TOKENS',
    kind: 'secrets',
    help: "The tokens accepted in the provider's verification request; the first is current.",
  },
  {
    name: 'WAYPOST_PLATFORM_KEYS',
    kind: 'secrets',
    help: 'The keys of the platform API: `wp_root_` and at least 32 letters or digits; exactly these are valid.',
  },
  {
    name: 'WAYPOST_MASTER_KEY',
    kind: 'secret',
    help: '32 bytes in base64 that seal access tokens and endpoint secrets in the database.',
  },
  {
    name: 'WAYPOST_SANDBOX',
    kind: 'switch',
    default: 'on',
    help: "Whether test keys reach the sandbox; `off`: a test key's send is `no_channel`.",
  },
  {
    name: 'WAYPOST_SANDBOX_PORT',
    kind: 'port',
    default: '8081',
    help: 'The port of the sandbox, on loopback; 0 takes any free port.',
  },
  {
    name: 'WAYPOST_SANDBOX_APP_SECRET',
    kind: 'secret',
    help: "The secret that signs the sandbox's notifications. It must not be one of the app secrets.",
  },
  {
    name: 'WAYPOST_METRICS_PORT',
    kind: 'text',
    default: '9464',
    help: 'The port of the internal listener (health and metrics), on the same host; `off` for none, 0 for any free port.',
  },
  {
    name: 'WAYPOST_LOCAL_ENDPOINTS',
    kind: 'switch',
    help: 'Whether test endpoints may use http and loopback. Default: `on` if `HOST` is loopback and this is not production.',
  },
  {
    name: 'WAYPOST_LOG_LEVEL',
    kind: 'text',
    default: 'info',
    help: 'One of `trace`, `debug`, `info`, `warn`, `error`, `silent`.',
  },
  {
    name: 'WAYPOST_TRACES',
    kind: 'text',
    default: 'otlp',
    help: 'Where traces go: `otlp` (only if an address is given below), `console` (JSON lines on standard error), or `off`.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    kind: 'text',
    help: 'The OpenTelemetry collector that takes traces over HTTP, such as `http://localhost:4318`. Without it there are none.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    kind: 'text',
    help: 'The whole address for traces, instead of `OTEL_EXPORTER_OTLP_ENDPOINT` with `/v1/traces` behind it.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    kind: 'secret',
    help: 'Headers for the collector, `name=value` separated by commas; the values are percent-encoded, as in `authorization=Basic%20aWQ6a2V5`.',
  },
  { name: 'OTEL_SERVICE_NAME', kind: 'text', default: 'waypost', help: 'The name of this service in traces.' },
  {
    name: 'OTEL_TRACES_SAMPLER',
    kind: 'text',
    default: 'parentbased_always_on',
    help: 'Which traces are kept. With `parentbased_...` a caller that sends a `traceparent` decides by its flag.',
  },
  {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    kind: 'text',
    default: '1',
    help: 'The share of traces that a `traceidratio` sampler keeps, from 0 to 1.',
  },
  {
    name: 'WAYPOST_STOP_BUDGET_MS',
    kind: 'integer',
    default: '30000',
    min: 0,
    max: 600_000,
    help: 'How long a stop may take in all. What is still in flight then is settled as after a crash.',
  },
  {
    name: 'WAYPOST_STOP_NOTICE_MS',
    kind: 'integer',
    default: '0',
    min: 0,
    max: 120_000,
    help: 'How long a gateway that is asked to stop still serves while `/readyz` says 503, so that a balancer takes it out first. It is part of `WAYPOST_STOP_BUDGET_MS`, and must be shorter.',
  },
  {
    name: 'WAYPOST_KEEP_MESSAGES_DAYS',
    kind: 'integer',
    default: '90',
    min: 1,
    max: KEEP_DAYS_MAX,
    help: 'For how many days messages, requests and timelines are kept.',
  },
  {
    name: 'WAYPOST_KEEP_CONTENT_DAYS',
    kind: 'integer',
    default: '30',
    min: 1,
    max: KEEP_DAYS_MAX,
    help: 'For how many days the content of messages is kept; it is never kept longer than the messages.',
  },
  {
    name: 'WAYPOST_KEEP_EVENTS_DAYS',
    kind: 'integer',
    default: '30',
    min: 1,
    max: KEEP_DAYS_MAX,
    help: 'For how many days events, and the attempts to deliver them, are kept.',
  },
  {
    name: 'WAYPOST_KEEP_NOTIFICATIONS_DAYS',
    kind: 'integer',
    default: '7',
    min: 1,
    max: KEEP_DAYS_MAX,
    help: 'For how many days raw notifications are kept after they were applied.',
  },
  {
    name: 'WAYPOST_KEEP_SET_ASIDE_DAYS',
    kind: 'integer',
    default: '30',
    min: 8,
    max: KEEP_DAYS_MAX,
    help: 'For how many days raw notifications that could not be applied are kept after they came.',
  },
] as const satisfies readonly Setting[];

export type SettingName = (typeof SETTINGS)[number]['name'];

/** The names of settings that give a secret, or the path of a file with it. */
export const SECRET_NAMES: readonly string[] = SETTINGS.flatMap(({ name, kind }) =>
  kind === 'secret' || kind === 'secrets' ? [name, `${name}_FILE`] : [],
);

/** The settings of the sandbox and the command line, which read the same environment. */
export const SETTINGS_OF_OTHERS = [
  'WAYPOST_CALLBACK_URL',
  'WAYPOST_SANDBOX_LATENCY_MS',
  'WAYPOST_SANDBOX_STATUSES',
  'WAYPOST_URL',
  'WAYPOST_API_KEY',
  'WAYPOST_PLATFORM_KEY',
];

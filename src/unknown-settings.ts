import type { Environment } from './setting-reader.ts';
import { SECRET_NAMES, SETTINGS, SETTINGS_OF_OTHERS } from './settings.ts';

/** Kubernetes tells every program in a namespace so where a service named `waypost` is. */
const OF_KUBERNETES = /^WAYPOST_(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT_\d+_(TCP|UDP)(_.+)?)$/;
const KUBERNETES_PORT = /^(tcp|udp):\/\//;

/** Names that look like settings of this project and are none. A start ignores them. */
export function unknownSettings(environment: Environment): string[] {
  const known = new Set<string>([...SETTINGS.map(({ name }) => name), ...SECRET_NAMES, ...SETTINGS_OF_OTHERS]);
  const isOfKubernetes = (name: string) =>
    OF_KUBERNETES.test(name) || (name === 'WAYPOST_PORT' && KUBERNETES_PORT.test(environment[name] ?? ''));
  return Object.keys(environment)
    .filter((name) => name.startsWith('WAYPOST_') && !name.startsWith('WAYPOST_TEST_'))
    .filter((name) => !known.has(name) && !isOfKubernetes(name))
    .toSorted();
}

import { type Environment, isOfService } from './setting-reader.ts';
import { SECRET_NAMES, SETTINGS, SETTINGS_OF_OTHERS } from './settings.ts';

/** What else Kubernetes tells of a service whose name begins with `waypost`. */
const OF_KUBERNETES = /^WAYPOST(_\w+)?_(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT_\d+_(TCP|UDP|SCTP)(_.+)?)$/;

/** Names that look like settings of this project and are none. A start ignores them. */
export function unknownSettings(environment: Environment): string[] {
  const known = new Set<string>([...SETTINGS.map(({ name }) => name), ...SECRET_NAMES, ...SETTINGS_OF_OTHERS]);
  const isOfKubernetes = (name: string) => OF_KUBERNETES.test(name) || isOfService(name, environment[name]);
  return Object.keys(environment)
    .filter((name) => name.startsWith('WAYPOST_') && !name.startsWith('WAYPOST_TEST_'))
    .filter((name) => !known.has(name) && !isOfKubernetes(name))
    .toSorted();
}

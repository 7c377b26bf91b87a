import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * The machine, its boot and the namespace of process ids, so that those of two machines, two boots or two containers
 * are never taken for the same: containers may share even the machine's name.
 */
export function hostIdentity(): string {
  try {
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${hostname()} ${bootId} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Only Linux has these files. Elsewhere the name has to do, and a restart at worst waits for the lease.
    return hostname();
  }
}

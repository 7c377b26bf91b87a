import type { FastifyInstance } from 'fastify';
import { errorCodeOf } from './kernel/error-code.ts';

/** The last one is told of an IPv6 address by a kernel that was started without IPv6. */
const HOST_FAULTS = ['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL', 'EINVAL', 'EAFNOSUPPORT'];

/**
 * For this name Fastify makes a server for each of its addresses, such as ::1 and 127.0.0.1, and gives us the first only. On the others what is no
 * HTTP was answered by Node itself, also behind a call that was under way, and a stop did not wait for the calls there.
 */
const LOCALHOST = { name: 'localhost', address: '127.0.0.1' };

/** Where to listen; `setting` is the one that names the port. */
interface Place {
  host: string;
  port: number;
  setting: string;
}

/** Returns an address that can be called. Throws a sentence for the operator if it cannot listen there. */
export async function listen(server: FastifyInstance, { host, port, setting }: Place): Promise<string> {
  const address = host === LOCALHOST.name ? LOCALHOST.address : host;
  try {
    // Fastify tells 127.0.0.1 for 0.0.0.0. `[::]` cannot be called from Windows and by browsers either.
    return (await server.listen({ host: address, port })).replace('//[::]:', '//[::1]:');
  } catch (error) {
    const code = errorCodeOf(error) ?? '';
    if (code === 'EADDRINUSE')
      throw new Error(`Port ${port} of ${host} is taken. Stop what listens there, or choose another ${setting}.`);
    if (code === 'EACCES')
      throw new Error(`This user may not listen on port ${port} of ${host}. Choose another ${setting}.`);
    if (HOST_FAULTS.includes(code))
      throw new Error(`HOST must be an address of this machine, and ${host} is none (${code}).`);
    throw error;
  }
}

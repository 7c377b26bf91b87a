import type { IncomingMessage } from 'node:http';

/**
 * All values of one header, each as it was given; `name` is in lower case. Node's own `headersDistinct` first sorts all headers
 * of the call, which is more work than all the rest of checking a signature.
 */
export function headerValues({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): string[] {
  const values: string[] = [];
  for (let place = 0; place + 1 < rawHeaders.length; place += 2) {
    const [given = '', value = ''] = [rawHeaders[place], rawHeaders[place + 1]];
    if (given.length === name.length && given.toLowerCase() === name) values.push(value);
  }
  return values;
}

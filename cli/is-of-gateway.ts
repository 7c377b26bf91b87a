import type { Answer } from './api.ts';

/** Whether an answer is what the API promises of a 2xx. A page of another service must not look like an empty list, or like something that was done. */
export function isOfGateway(method: string, { status, json }: Answer): boolean {
  if (method === 'DELETE') return status === 202 || status === 204;
  return status >= 200 && status <= 299 && typeof json === 'object' && json !== null && !Array.isArray(json);
}

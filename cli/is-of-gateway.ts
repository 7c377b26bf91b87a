import { isProven, type Proof } from '../client/src/proof.ts';
import type { Answer } from './api.ts';

/** Every 2xx of the API has one of these. */
const PROOFS: readonly Proof[] = ['data', 'results', 'id', 'account_id', 'secret', 'count', 'valid', 'total', 'totals'];

/** Whether an answer is what the API promises of a 2xx. What another service says must not look like an empty list, or like something that was done. */
export function isOfGateway(method: string, { status, json }: Answer): boolean {
  if (method === 'DELETE') return status === 202 || status === 204;
  return status >= 200 && status <= 299 && PROOFS.some((proof) => isProven(json, proof));
}

/**
 * Members that every version of the gateway answers with: one of them tells its answer from another service's. `data` and `results` are
 * lists.
 */
export type Proof =
  | 'account_id'
  | 'count'
  | 'data'
  | 'id'
  | 'latest_sequence'
  | 'results'
  | 'secret'
  | 'total'
  | 'totals'
  | 'valid';

export function isProven(body: unknown, proof: Proof): boolean {
  const { [proof]: value }: Partial<Record<Proof, unknown>> = Object(body);
  return proof === 'data' || proof === 'results' ? Array.isArray(value) : value !== undefined;
}

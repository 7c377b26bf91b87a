import type fc from 'fast-check';
import type { TestGateway } from '../support/gateway.ts';

/** One thing that is given whatever can be thought of. */
export interface FuzzTarget {
  name: string;
  /** What must hold for every input. */
  property(gateway: TestGateway): fc.IAsyncProperty<unknown[]> | fc.IProperty<unknown[]>;
  /** What must hold after them all. */
  after?(gateway: TestGateway): Promise<void>;
}

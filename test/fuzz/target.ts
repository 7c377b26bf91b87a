import type fc from 'fast-check';
import type { TestGateway } from '../support/gateway.ts';

/** A part of the project that gets every input that can be thought of. */
export interface FuzzTarget {
  name: string;
  /** What must be true for every input. */
  property(gateway: TestGateway): fc.IAsyncProperty<unknown[]> | fc.IProperty<unknown[]>;
  /** What must be true after all inputs. */
  after?(gateway: TestGateway): Promise<void>;
}

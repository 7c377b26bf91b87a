import { startReceiver } from '../../endpoints/receiver.ts';
import { expectStatistics } from '../../model/expect-statistics.ts';
import type { Model } from '../../model/model.ts';
import { anySequence } from '../../model/sequence.ts';
import type { FuzzTarget } from '../target.ts';

const receiver = await startReceiver();
const models: Model[] = [];

/** Whatever customers, the provider and the platform do one after another, every answer must be as documented. */
export const sequenceTarget: FuzzTarget = {
  name: 'sequences of calls',
  property: (gateway) => anySequence({ gateway, receiver, models }),
  after: (gateway) => expectStatistics(models, { gateway, receiver, models }),
};

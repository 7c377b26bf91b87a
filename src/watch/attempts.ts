import type { Logger } from 'pino';
import type { CarriedDelivery } from '../endpoints/deliver/deliver.ts';
import { formatId } from '../kernel/ids.ts';
import type { DeliveryMetrics } from '../observe/delivery-metrics.ts';

/** Counts every attempt that was made for a delivery, and tells the failed ones to the log. */
export function watchAttempts(metrics: DeliveryMetrics, log: Logger): (carried: CarriedDelivery) => void {
  return ({ delivery, outcome, waitMs }) => {
    const { mode, attempts: before } = delivery;
    const failed = outcome.outcome === 'failed';
    metrics.attempted(mode, outcome.outcome, reasonOf(outcome), outcome.duration_ms / 1_000);
    if (!failed) {
      if (before === 0) metrics.delivered((Date.now() - delivery.at_ms) / 1_000);
      return;
    }
    if (waitMs === null) metrics.givenUp(mode);
    log.info(
      {
        account_id: delivery.account_id,
        endpoint_id: formatId('end', delivery.endpoint_id),
        event_id: formatId('evt', delivery.event_id),
        type: delivery.type,
        mode,
        number: before + 1,
        http_status: outcome.http_status,
        error: outcome.error,
        duration_ms: outcome.duration_ms,
        next_in_ms: waitMs === null ? null : Math.round(waitMs),
      },
      waitMs === null ? 'delivery.given_up' : 'delivery.failed',
    );
  };
}

function reasonOf({ outcome, error, http_status: status }: CarriedDelivery['outcome']): string {
  if (outcome === 'succeeded') return 'none';
  return error ?? `http_${Math.floor((status ?? 0) / 100)}xx`;
}

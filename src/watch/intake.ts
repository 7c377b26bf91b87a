import { ApiError } from '../kernel/errors.ts';
import type { Intake } from '../notifications/receive.ts';
import type { CallbackMetrics } from '../observe/callback-metrics.ts';

/** Counts and measures what the provider posts. */
export function watchIntake(intake: Intake, metrics: CallbackMetrics): Intake {
  return {
    async receive(request, rawBody) {
      const begunMs = performance.now();
      const received = intake.receive(request, rawBody);
      // It verifies before it waits for anything, so that what has passed until here is just that.
      const verifiedMs = performance.now();
      metrics.step('verify', (verifiedMs - begunMs) / 1_000);
      try {
        const origin = await received;
        metrics.step('commit', (performance.now() - verifiedMs) / 1_000);
        metrics.received(origin, 'committed');
        return origin;
      } catch (error) {
        const refused = error instanceof ApiError && error.code === 'invalid_signature';
        metrics.received('none', refused ? 'refused' : 'not_committed');
        throw error;
      }
    },
  };
}

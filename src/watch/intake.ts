import { ApiError } from '../kernel/errors.ts';
import type { Intake } from '../notifications/receive.ts';
import type { CallbackMetrics } from '../observe/callback-metrics.ts';

/** Counts and measures what the provider posts. */
export function watchIntake(intake: Intake, metrics: CallbackMetrics): Intake {
  return {
    receive(request, rawBody) {
      const begunMs = performance.now();
      const received = intake.receive(request, rawBody);
      // It verifies before it waits for anything, so that what has passed until here is just that.
      const verifiedMs = performance.now();
      metrics.step('verify', (verifiedMs - begunMs) / 1_000);
      // Beside the answer, which waits for none of it.
      received.then(
        (origin) => {
          metrics.step('commit', (performance.now() - verifiedMs) / 1_000);
          metrics.received(origin, 'committed');
        },
        (error: unknown) => {
          const refused = error instanceof ApiError && error.code === 'invalid_signature';
          metrics.received('none', refused ? 'refused' : 'not_committed');
        },
      );
      return received;
    },
  };
}

import type { Provider } from '../provider/port.ts';
import type { SendWatch } from './running-sends.ts';

/** Counts, measures and traces what the provider is asked. */
export function watchProvider(provider: Provider, { metrics, traces, running }: SendWatch): Provider {
  const asked = async <Outcome extends { kind: string }>(ask: string, answer: Promise<Outcome>): Promise<Outcome> => {
    const outcome = await answer;
    metrics.asked(ask, outcome.kind);
    return outcome;
  };
  return {
    ...provider,
    async transmit(sender, message, ...more) {
      const begunMs = performance.now();
      const parent = running.parentOf(message.id);
      const span = parent === undefined ? undefined : traces?.begin('transmit', 'client', parent);
      const outcome = await provider.transmit(sender, message, ...more);
      const code = outcome.kind === 'accepted' ? 'none' : outcome.error.code;
      metrics.transmitted(sender.mode, outcome.kind, code);
      metrics.step('transmit', (performance.now() - begunMs) / 1_000);
      span?.end({ 'waypost.message_id': message.id, 'waypost.outcome': outcome.kind, 'waypost.code': code });
      return outcome;
    },
    connect: (sender, business) => asked('connect', provider.connect(sender, business)),
    readFacts: (sender) => asked('facts', provider.readFacts(sender)),
    keepSubscribed: (sender, business) => asked('subscription', provider.keepSubscribed(sender, business)),
    listTemplates: (sender, business, name) => asked('templates', provider.listTemplates(sender, business, name)),
  };
}

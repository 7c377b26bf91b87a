/** Keeps the memory bounded: beyond this all subscriptions are forgotten. Only a test that lists them could notice. */
const BUSINESS_ACCOUNTS_MAX = 100_000;

/** What became of the app's subscription to a business account. `address`: the callback address that the business account has for it. */
type Subscription = { kind: 'subscribed'; address: string | undefined } | { kind: 'lost' };

/**
 * To which business accounts the app is subscribed. One that nobody ever subscribed has its notifications too: the numbers of test keys are
 * never connected. Only a subscription that was taken away ends them.
 */
export class Subscriptions {
  readonly #known = new Map<string, Subscription>();

  subscribe(businessAccountId: string, address: string | undefined): void {
    this.#set(businessAccountId, { kind: 'subscribed', address });
  }

  lose(businessAccountId: string): void {
    this.#set(businessAccountId, { kind: 'lost' });
  }

  find(businessAccountId: string): Extract<Subscription, { kind: 'subscribed' }> | undefined {
    const known = this.#known.get(businessAccountId);
    return known?.kind === 'subscribed' ? known : undefined;
  }

  isLost(businessAccountId: string): boolean {
    return this.#known.get(businessAccountId)?.kind === 'lost';
  }

  #set(businessAccountId: string, subscription: Subscription): void {
    if (this.#known.size >= BUSINESS_ACCOUNTS_MAX) this.#known.clear();
    this.#known.set(businessAccountId, subscription);
  }
}

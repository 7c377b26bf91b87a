/**
 * Whether a node's lease is over, as a condition on its row. No lease lasts five minutes: one that ends later than that was given before
 * the database's clock was set back, so it does not show that its node still lives. Nodes that live renew their leases within seconds.
 */
export const LEASE_OVER = "(lease_until <= now() or lease_until > now() + interval '5 minutes')";

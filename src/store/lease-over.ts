/**
 * Whether a node's lease is over, as a condition on its row. Nobody has a lease for so long: one that ends later was given
 * before the database's clock was set back, and says nothing of who still lives. Those who do renew theirs within seconds.
 */
export const LEASE_OVER = "(lease_until <= now() or lease_until > now() + interval '5 minutes')";

import type { Queryable } from '../../src/store/database.ts';

/** Writes a live channel without asking the provider and without sealing a token. The schedule only checks whether there is one. */
export async function addLiveChannel(
  database: Queryable,
  { accountId, businessAccountId }: { accountId: string; businessAccountId: string },
  status: 'connected' | 'suspended' | 'removed' = 'connected',
): Promise<void> {
  await database.query(
    `insert into channel (account_id, id, mode, phone_number_id, business_account_id, phone_number, access_token_sealed, status)
     values ($1, gen_random_uuid(), 'live', gen_random_uuid(), $2, '+15550790000', '', $3)`,
    [accountId, businessAccountId, status],
  );
}

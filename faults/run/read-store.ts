import { formatId } from '../../src/kernel/ids.ts';
import type { Database } from '../../src/store/database.ts';
import type { Books, StoredMessage, StoredReport } from '../balance/books.ts';

type Stored = Pick<Books, 'messages' | 'reports' | 'notifications' | 'requestsRunning'>;

/** Reads what the database of a run has stored, for all accounts. */
export async function readStored(database: Database): Promise<Stored> {
  const messages = await database.query<StoredMessage>(
    `select id, account_id as account, direction, status, outcome, provider_message_id as "providerMessageId" from message`,
  );
  const reports = await database.query<StoredReport>(
    `select message_id as "messageId", status, note from timeline order by place nulls first, id`,
  );
  const [running] = await database.query<{ count: number }>(
    'select count(*)::integer as count from request where completed_at is null',
  );
  return {
    messages: messages.map((message) => ({ ...message, id: formatId('msg', message.id) })),
    reports: reports.map((report) => ({ ...report, messageId: formatId('msg', report.messageId) })),
    notifications: await database.query(
      `select encode(sha256(body), 'hex') as sha256, state, count(*)::integer as count from notification group by 1, 2`,
    ),
    requestsRunning: running?.count ?? 0,
  };
}

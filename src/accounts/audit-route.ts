import { Type } from 'typebox';
import { PAGE_QUERY, pageOf, readPage } from '../http/page.ts';
import { platformRoute, type Route } from '../http/route.ts';
import { textOfForm } from '../http/text-of-form.ts';
import { UUID } from '../kernel/ids.ts';
import type { Queryable } from '../store/database.ts';
import { listAuditRows } from './audit-store.ts';
import { accountOperations } from './operations.ts';
import { presentAudit } from './present.ts';

const AUDIT_QUERY = Type.Object(
  {
    ...PAGE_QUERY,
    account_id: Type.Optional(
      textOfForm(
        { pattern: UUID.source, description: 'Only of this account.' },
        (text) => UUID.test(text),
        () => 'This must be the id of an account: a UUID in lower case.',
      ),
    ),
  },
  { additionalProperties: false },
);

/** Who changed what, with any key. What concerns a deleted account stays in it. */
export function auditRoute(database: Queryable): Route {
  return platformRoute({
    method: 'GET',
    path: '/platform/v1/audit',
    summary: 'List what was changed with any key, newest first',
    operation: accountOperations.audit,
    bodyUse: 'none',
    querySchema: AUDIT_QUERY,
    async handle({ query }) {
      const page = readPage(query);
      const rows = await listAuditRows(database, query.account_id ?? null, page.before, page.limit + 1);
      return { status: 200, body: pageOf(rows, page, rows.map(presentAudit)) };
    },
  });
}

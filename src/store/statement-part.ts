/** A piece of a statement, whose parameters are counted from `$1`. The texts are few, so that each is prepared once. */
export interface StatementPart {
  /** Common table expressions, each with its name. */
  ctes: readonly string[];
  /** The query that gives the statement's rows, if this part has any to give. */
  result: string | undefined;
  values: readonly unknown[];
}

/** One statement that does what all its parts do, in one commit. Its rows are those of all parts that have any to give. */
export function composeStatement(parts: readonly StatementPart[]): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const ctes: string[] = [];
  const results: string[] = [];
  for (const part of parts) {
    const shifted = (sql: string) => shiftParameters(sql, values.length);
    ctes.push(...part.ctes.map(shifted));
    if (part.result !== undefined) results.push(shifted(part.result));
    values.push(...part.values);
  }
  return { text: `with ${ctes.join(',')} ${results.join(' union all ') || 'select 1 where false'}`, values };
}

function shiftParameters(sql: string, by: number): string {
  return by === 0 ? sql : sql.replaceAll(/\$(\d+)/g, (_, place: string) => `$${Number(place) + by}`);
}

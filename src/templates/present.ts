import { formatId } from '../kernel/ids.ts';
import type { TemplateRow } from './store.ts';

/** A template as callers read it; its components are the provider's own. */
export function presentTemplate(row: TemplateRow) {
  return {
    id: formatId('tpl', row.id),
    name: row.name,
    language: row.language,
    status: row.status,
    category: row.category,
    parameter_format: row.parameter_format,
    components: row.components,
    quality: row.quality,
    updated_at: row.updated_at.toISOString(),
  };
}

import type { Template } from '../api/resources.ts';
import { composeComponents, type Values } from '../templates/compose.ts';

/** A send as it is being written. */
export interface Draft {
  to: string;
  /** A channel's id; empty for the default. */
  from: string;
  reference: string;
  type: 'text' | 'template';
  body: string;
  linkPreview: boolean;
  templateId: string;
  values: Values;
}

export interface ComposedSend {
  /** The bytes that are checked, sent and sent again. They are the same for the same draft. */
  json: string;
  /** The field that fills each place in the template's components. The places are pointers. */
  places: Map<string, string>;
}

/** What is sent to the API for a draft; undefined while there is too little to check. */
export function composeSend(draft: Draft, template: Template | undefined): ComposedSend | undefined {
  if (draft.to.trim() === '') return undefined;
  const shared = {
    to: splitCells(draft.to),
    ...(draft.from !== '' && { from: draft.from }),
    ...(draft.reference !== '' && { client_reference: draft.reference }),
    type: draft.type,
  };
  if (draft.type === 'text') {
    if (draft.body === '') return undefined;
    const text = { body: draft.body, ...(draft.linkPreview && { preview_url: true }) };
    return { json: JSON.stringify({ ...shared, text }), places: new Map() };
  }
  if (template === undefined) return undefined;
  const { components, places } = composeComponents(template, draft.values);
  const { name, language } = template;
  const content = { name, language, ...(components.length > 0 && { components }) };
  return { json: JSON.stringify({ ...shared, template: content }), places };
}

/**
 * A tab comes from a spreadsheet, where it separates two cells. The API would drop it, as it drops spaces within a number. Then the next
 * cell would become the end of another person's number.
 */
function splitCells(to: string): string {
  return to.replaceAll('\t', '\n');
}

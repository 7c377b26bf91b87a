import type { Template } from '../api/resources.ts';
import { composeComponents, type Values } from '../templates/compose.ts';

/** A send as it is being written. */
export interface Draft {
  to: string;
  /** A channel's id; empty: the default. */
  from: string;
  reference: string;
  type: 'text' | 'template';
  body: string;
  linkPreview: boolean;
  templateId: string;
  values: Values;
}

export interface ComposedSend {
  /** The bytes that are checked, sent, and sent again: the same for the same draft. */
  json: string;
  /** Which field fills what stands at a pointer within the template's components. */
  places: Map<string, string>;
}

/** What the API gets for a draft; undefined while there is too little to say anything about it. */
export function composeSend(draft: Draft, template: Template | undefined): ComposedSend | undefined {
  if (draft.to.trim() === '') return undefined;
  const shared = {
    to: partCells(draft.to),
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
 * A tab comes from a spreadsheet and parts two cells. The API would drop it, as it drops spaces within a number, and what
 * stands in the next cell would be the end of another person's number.
 */
function partCells(to: string): string {
  return to.replaceAll('\t', '\n');
}

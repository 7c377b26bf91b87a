import type { Failure } from '../api/failure.ts';
import type { Validation } from '../api/message.ts';

/** What is wrong, by the field in which it is wrong. */
export interface FaultPlaces {
  to: string[];
  from: string[];
  reference: string[];
  body: string[];
  template: string[];
  fields: Record<string, string[]>;
}

const COMPONENTS = '#/template/components';

/** Assigns each fault of the check to its field. The faults are those of an error answer, or those that the recipients share. */
export function placeFaults(
  checked: { failure: Failure } | { validation: Validation } | undefined,
  places: Map<string, string>,
): FaultPlaces {
  const found: FaultPlaces = { to: [], from: [], reference: [], body: [], template: [], fields: {} };
  if (checked === undefined) return found;
  if ('failure' in checked) placeFailure(checked.failure, places, found);
  else placeResults(checked.validation, places, found);
  return found;
}

function placeFailure({ code, detail, faults }: Failure, places: Map<string, string>, found: FaultPlaces): void {
  if (code === 'unknown_channel' || code === 'no_channel') found.from.push(detail);
  if (code === 'too_many_recipients') found.to.push(detail);
  for (const fault of faults) place(fault.place, fault.detail, places, found);
}

function placeResults({ results }: Validation, places: Map<string, string>, found: FaultPlaces): void {
  for (const { to, error } of results) {
    if (error === undefined) continue;
    if (error.errors !== undefined)
      for (const fault of error.errors) place(fault.pointer ?? '', wordsOf(fault), places, found);
    else if (error.code.startsWith('template_')) add(found.template, error.message);
    else add(found.to, `${to}: ${error.message}.`);
  }
}

function wordsOf({ detail, expected }: { detail: string; expected?: string | undefined }): string {
  return expected === undefined ? detail : `${detail} Expected: ${expected}.`;
}

function place(pointer: string, detail: string, places: Map<string, string>, found: FaultPlaces): void {
  const key = fieldAt(pointer, places);
  if (key !== undefined) {
    found.fields[key] ??= [];
    add(found.fields[key], detail);
  } else if (pointer.startsWith('#/template')) add(found.template, detail);
  else if (pointer.startsWith('#/text')) add(found.body, detail);
  else if (pointer.startsWith('#/client_reference')) add(found.reference, detail);
  else if (pointer.startsWith('#/from')) add(found.from, detail);
  else add(found.to, detail);
}

/** The field with the longest pointer at or above the fault. */
function fieldAt(pointer: string, places: Map<string, string>): string | undefined {
  if (!pointer.startsWith(COMPONENTS)) return undefined;
  const inside = pointer.slice(COMPONENTS.length);
  return [...places].find(([place]) => inside === place || inside.startsWith(`${place}/`))?.[1];
}

/** Fifty recipients may share one fault, which is shown once. */
function add(list: string[], detail: string): void {
  if (!list.includes(detail)) list.push(detail);
}

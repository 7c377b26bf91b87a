import { isRecord } from '../../../../kernel/is-record.ts';
import type { MessageFault } from '../../../../kernel/message-errors.ts';
import type { TemplateComponent } from '../../../port.ts';
import { isKnownKind } from '../form/check-parameter.ts';

/** Kinds with a text of their own. That of a code is checked before any template is known. */
const TEXT_KINDS = ['text', 'payload'];

/** A component of a message. `kind` is its type in lower case. */
export interface Given {
  kind: string;
  component: TemplateComponent;
  pointer: string;
}

/** A comparison of a list of components with a template: where the list stands, and what was found so far. */
export interface Comparison {
  pointer: string;
  format: 'positional' | 'named';
  faults: MessageFault[];
}

/** Notes that a whole component is not there. */
export function missing({ pointer, faults }: Comparison, part: string, expected: string): void {
  faults.push({ pointer, detail: `The ${part} component is missing.`, expected, given: 'none' });
}

/** The parameters of a component that are objects; none if it has no list of them. */
export function parametersOf({ parameters }: TemplateComponent): Record<string, unknown>[] {
  return Array.isArray(parameters) ? parameters.filter(isRecord) : [];
}

/** An index, which the provider's own examples write as a number and as a text; NaN if it is neither. */
export function indexOf(value: unknown): number {
  if (typeof value === 'string' && /^[0-9]{1,3}$/.test(value)) return Number(value);
  return typeof value === 'number' ? value : Number.NaN;
}

/** Whether the provider has added this kind since: it judges those. No word at all is no new kind. */
export function isNewKind(kind: string): boolean {
  return kind !== '' && !isKnownKind(kind);
}

/** A word in lower case; empty if it is no text. */
export function wordOf(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}

/** The provider takes an empty text or payload for a missing one, refuses it with 131008, and does not say which it was. */
export function checkNotEmpty(parameter: Record<string, unknown>, pointer: string, faults: MessageFault[]): void {
  const kind = wordOf(parameter.type);
  if (!TEXT_KINDS.includes(kind) || parameter[kind] !== '') return;
  faults.push({
    pointer: `${pointer}/${kind}`,
    detail: `The ${kind} is empty.`,
    expected: 'at least 1 character',
    given: '0',
  });
}

import type { Fault } from '../../kernel/errors.ts';
import { pointerTo } from '../../kernel/json-pointer.ts';
import { unknownName } from '../../kernel/unknown-name.ts';
import type { CheckComponents } from '../../provider/port.ts';
import { SEND_LIMITS } from './send-limits.ts';

/** What all parts of a body are read with. */
export interface ParseContext {
  /** Each part adds what is wrong with it. */
  faults: Fault[];
  checkComponents: CheckComponents;
}

/** Unknown members are refused, so that a typing mistake never passes silently. */
export function refuseUnknownMembers(
  value: Record<string, unknown>,
  known: readonly string[],
  pointer: string,
  faults: Fault[],
): void {
  for (const name of Object.keys(value))
    if (!known.includes(name))
      faults.push({ pointer: pointerTo([name], pointer), detail: unknownName('member', known, faults.length) });
}

/** Reads a text whose length is counted in code points, as people count characters. undefined: a fault was added. */
export function readText(value: unknown, charactersMax: number, pointer: string, faults: Fault[]): string | undefined {
  if (typeof value === 'string' && value !== '' && hasAtMost(value, charactersMax)) return value;
  const detail =
    value === undefined
      ? 'This member is missing.'
      : typeof value === 'string'
        ? `This must have 1 to ${charactersMax} characters.`
        : 'This must be a string.';
  faults.push({ pointer, detail });
  return undefined;
}

/** Reads an optional `client_reference`. */
export function readReference(value: unknown, pointer: string, faults: Fault[]): string | undefined {
  return value === undefined ? undefined : readText(value, SEND_LIMITS.referenceCharacters, pointer, faults);
}

function hasAtMost(text: string, charactersMax: number): boolean {
  if (text.length <= charactersMax) return true;
  if (text.length > charactersMax * 2) return false;
  let characters = 0;
  for (const _ of text) if (++characters > charactersMax) return false;
  return true;
}

import type { MessageFault } from '../../../../kernel/message-errors.ts';
import type { TemplateComponent } from '../../../port.ts';
import {
  type Comparison,
  checkNotEmpty,
  type Given,
  indexOf,
  isNewKind,
  missing,
  parametersOf,
  wordOf,
} from './given.ts';
import type { ButtonShape } from './shape.ts';

/** Any other kind of button is one that the provider has added since. */
const KNOWN_SUB_TYPES = ['url', 'quick_reply', 'copy_code', 'flow', 'voice_call', 'phone_number', 'catalog', 'mpm'];
/** What fills a button of these kinds; the others take what the provider takes. */
const BUTTON_KINDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['url', ['text']],
  ['quick_reply', ['payload', 'text']],
  ['copy_code', ['coupon_code']],
]);

/** Compares the buttons of a message with those of its template. Some need a parameter, and none may be filled twice. */
export function checkButtons(shapes: readonly ButtonShape[], given: readonly Given[], comparison: Comparison): void {
  const filled = new Set<number>();
  for (const { component, pointer } of given) {
    const subType = wordOf(component.sub_type);
    // Only kinds that a template has once may come without an index.
    const { index: place = shapes.findIndex((one) => one.subType === subType) } = component;
    const index = indexOf(place);
    const shape = shapes[index];
    if (shape === undefined)
      comparison.faults.push({
        pointer: `${pointer}/index`,
        detail: 'The template has no button here.',
        expected: shapes.length === 0 ? 'no buttons' : `0 to ${shapes.length - 1}`,
        given: component.index === undefined ? 'none' : String(index),
      });
    else if (filled.has(index))
      comparison.faults.push({ pointer: `${pointer}/index`, detail: 'This button is filled already.' });
    else if (shape.subType !== subType && !isNewButton(subType))
      comparison.faults.push({
        pointer: `${pointer}/sub_type`,
        detail: 'The button is of another kind.',
        expected: shape.subType,
        given: subType,
      });
    else if (shape.subType === subType) checkButton(shape, component, pointer, comparison);
    filled.add(index);
  }
  for (const [index, { subType, needsParameter }] of shapes.entries())
    if (needsParameter && !filled.has(index)) missing(comparison, 'button', `${subType} at index ${index}`);
}

function checkButton(shape: ButtonShape, component: TemplateComponent, pointer: string, { faults }: Comparison): void {
  const parameters = parametersOf(component);
  const fault = countFault(shape, parameters.length);
  if (fault !== undefined)
    faults.push({ pointer: `${pointer}/parameters`, ...fault, given: String(parameters.length) });
  const kinds = BUTTON_KINDS.get(shape.subType);
  if (kinds === undefined) return;
  for (const [index, parameter] of parameters.entries()) {
    const kind = wordOf(parameter.type);
    if (kinds.includes(kind)) checkNotEmpty(parameter, `${pointer}/parameters/${index}`, faults);
    else if (!isNewKind(kind))
      faults.push({
        pointer: `${pointer}/parameters/${index}/type`,
        detail: 'The button cannot be filled so.',
        expected: kinds.join(', '),
        given: kind,
      });
  }
}

/** What is wrong with the number of a button's parameters. */
function countFault(
  { subType, needsParameter }: ButtonShape,
  count: number,
): Omit<MessageFault, 'pointer'> | undefined {
  if (needsParameter) return count === 1 ? undefined : { detail: 'The button takes one parameter.', expected: '1' };
  if (subType === 'url' && count > 0) return { detail: 'The link of the button has no variable.', expected: '0' };
  if (subType === 'quick_reply' && count > 1)
    return { detail: 'The button takes one parameter at most.', expected: 'at most 1' };
  return undefined;
}

function isNewButton(subType: string): boolean {
  return subType !== '' && !KNOWN_SUB_TYPES.includes(subType);
}

import { type Comparison, checkNotEmpty, type Given, isNewKind, missing, parametersOf, wordOf } from './given.ts';

/** What may fill a variable of a text. */
const VARIABLE_KINDS = ['text', 'currency', 'date_time'];

/** A part of a template that is a text, and how long a value in it may be. */
interface TextPart {
  name: string;
  charactersMax: number;
}

/** Compares what fills the variables of a text with them: their number, their names, and each value. */
export function checkVariables(
  { name, charactersMax }: TextPart,
  variables: readonly string[],
  given: Given | undefined,
  comparison: Comparison,
): void {
  if (given === undefined) {
    if (variables.length > 0) missing(comparison, name, countOf(variables.length));
    return;
  }
  const parameters = parametersOf(given.component);
  const pointer = `${given.pointer}/parameters`;
  if (parameters.length !== variables.length)
    comparison.faults.push({
      pointer,
      detail: `The ${name} of the template has another number of variables.`,
      expected: String(variables.length),
      given: String(parameters.length),
    });
  else if (comparison.format === 'named') checkNames(variables, parameters, pointer, comparison);
  for (const [index, parameter] of parameters.entries())
    checkValue(parameter, `${pointer}/${index}`, charactersMax, comparison);
}

function countOf(variables: number): string {
  return variables === 1 ? '1 parameter' : `${variables} parameters`;
}

function checkNames(
  variables: readonly string[],
  parameters: readonly Record<string, unknown>[],
  pointer: string,
  { faults }: Comparison,
): void {
  const names = parameters.map(({ parameter_name: name }) => (typeof name === 'string' ? name : ''));
  for (const [index, name] of names.entries())
    if (!variables.includes(name) || names.indexOf(name) !== index)
      faults.push({
        pointer: `${pointer}/${index}/parameter_name`,
        detail:
          name === ''
            ? 'The variables of the template have names, and the parameter has none.'
            : 'The template has no such variable, or it is filled already.',
        expected: variables.filter((variable) => !names.includes(variable)).join(', '),
        given: name === '' ? 'none' : name,
      });
}

function checkValue(
  parameter: Record<string, unknown>,
  pointer: string,
  charactersMax: number,
  { faults }: Comparison,
): void {
  const kind = wordOf(parameter.type);
  if (!VARIABLE_KINDS.includes(kind) && !isNewKind(kind))
    faults.push({
      pointer: `${pointer}/type`,
      detail: 'A variable cannot be filled so.',
      expected: VARIABLE_KINDS.join(', '),
      given: kind,
    });
  checkNotEmpty(parameter, pointer, faults);
  const { text } = parameter;
  const length = typeof text === 'string' ? [...text].length : 0;
  if (length > charactersMax)
    faults.push({
      pointer: `${pointer}/text`,
      detail: 'The text is too long.',
      expected: `at most ${charactersMax} characters`,
      given: String(length),
    });
}

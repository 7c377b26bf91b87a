import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type EventType, WaypostError, type WaypostEvent } from '../client/src/index.ts';
import { clientOf } from './client-of.ts';
import { type Invocation, textOf } from './command-spec.ts';
import { explainSilence } from './explain-silence.ts';
import { EXIT, usage } from './failure.ts';
import { failureOfClient } from './problem.ts';
import { stopOnCtrlC } from './stop-on-ctrl-c.ts';
import { colourWord, readCell } from './table.ts';
import { wholeNumber } from './whole-number.ts';

export const EVENT_TYPES: readonly EventType[] = [
  'message.accepted',
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'message.unknown',
  'message.received',
  'template.updated',
  'channel.updated',
  'account.updated',
  'endpoint.disabled',
];

/** Prints events until Ctrl-C, or until nobody reads them. With `--state` the next run goes on where this one ended. */
export async function tailEvents({ api, options, out }: Invocation): Promise<number> {
  const statePath = textOf(options, 'state');
  const types = readTypes(textOf(options, 'type'));
  let after = wholeNumber(textOf(options, 'after'), '--after') ?? (statePath ? readState(statePath) : undefined);
  const stop = stopOnCtrlC();
  const keep = (sequence: number) => {
    after = sequence;
    if (statePath !== undefined) writeState(statePath, sequence);
  };
  const events = clientOf(api).events.iterate({
    after: after === 0 ? 'oldest' : after,
    types,
    signal: stop,
    // At once: a run that ends before there is an event must not leave it to the next one where to begin.
    onStart: keep,
    onGap: (gap) => out.note(`The events from ${gap.after + 1} to ${gap.oldest - 1} have expired and are left out.`),
    onInterruption(error) {
      // What this process trusts does not change while it runs.
      if (explainSilence(error.cause).untrusted) throw error;
      out.note(`${error.message} Trying again.`);
    },
  });
  try {
    for await (const event of events) {
      // What nobody has taken is left to the next run, so its number is kept only after that.
      if (!(await out.hand(out.json ? JSON.stringify(event) : describe(event)))) return EXIT.done;
      keep(event.sequence);
    }
  } catch (error) {
    if (error instanceof WaypostError && error.code === 'sequence_unknown') throw usage(error.message);
    throw failureOfClient(error, api);
  }
  if (after !== undefined) out.note(`To go on: npx waypost events tail --after ${after}`);
  return EXIT.interrupted;
}

function describe(event: WaypostEvent): string {
  const [subject] = Object.values(event.data).map((value: unknown) => value);
  const members = ['id', 'to', 'name', 'phone_number', 'url', 'status', 'error.code', 'error.message'];
  const words = members.map((member) => readCell(subject, member)).filter((word) => word !== '-');
  const type = event.type.padEnd(17);
  const [, status = ''] = event.type.split('.');
  const coloured = type.replace(status, colourWord(status, process.stdout));
  return `${event.timestamp}  ${coloured}  #${event.sequence}  ${words.join('  ')}`;
}

function readTypes(text: string | undefined): EventType[] | undefined {
  const given = text?.split(',').map((type) => type.trim());
  const unknown = given?.find((type) => !EVENT_TYPES.some((known) => known === type));
  if (unknown !== undefined) throw usage(`"${unknown}" is no type of event. There are: ${EVENT_TYPES.join(', ')}.`);
  return given && EVENT_TYPES.filter((type) => given.includes(type));
}

function readState(path: string): number | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw usage(`The state file ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return wholeNumber(text.trim(), `What is in ${path}`);
}

/** Whole or not at all: half a number would be another one. */
function writeState(path: string, sequence: number): void {
  writeFileSync(`${path}.new`, `${sequence}\n`);
  renameSync(`${path}.new`, path);
}

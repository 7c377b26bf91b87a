import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type EventType, WaypostError, type WaypostEvent } from '../client/src/index.ts';
import { clientOf } from './client-of.ts';
import { type Invocation, textOf } from './command-spec.ts';
import { explainSilence } from './explain-silence.ts';
import { EXIT, usage } from './failure.ts';
import { messageOf } from './message-of.ts';
import { describeSilence, failureOfClient } from './problem.ts';
import { stopOnCtrlC } from './stop-on-ctrl-c.ts';
import { colourWord, readCell, type Terminal } from './table.ts';
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

/** Prints events until Ctrl-C, or until nobody reads them. With `--state` the next run continues where this one ended. */
export async function tailEvents({ api, options, out, around }: Invocation): Promise<number> {
  const statePath = textOf(options, 'state');
  const types = readTypes(textOf(options, 'type'));
  let after = wholeNumber(textOf(options, 'after'), '--after') ?? (statePath ? readState(statePath) : undefined);
  const stop = stopOnCtrlC(around);
  const keep = (sequence: number) => {
    after = sequence;
    if (statePath !== undefined) writeState(statePath, sequence);
  };
  const events = clientOf(api).events.iterate({
    after: after === 0 ? 'oldest' : after,
    types,
    signal: stop,
    // The number is kept at once. Otherwise, if this run ends before there is an event, the next run would begin at a later one.
    onStart(sequence) {
      keep(sequence);
      out.note(`Events after number ${sequence} are printed as they come. Ctrl-C ends this.`);
    },
    onGap: (gap) => out.note(`The events from ${gap.after + 1} to ${gap.oldest - 1} have expired and are left out.`),
    onInterruption(error) {
      // The certificates that this process trusts do not change while it runs, so trying again would not help.
      if (explainSilence(error.cause).untrusted) throw error;
      out.note(`${error.code === 'no_answer' ? describeSilence(error, api.url) : error.message} Trying again.`);
    },
  });
  try {
    for await (const event of events) {
      // The number is kept only after the reader has taken the event, so that the next run begins with an event that nobody has taken.
      if (!(await out.hand(out.json ? JSON.stringify(event) : describe(event, around.stdout)))) return EXIT.done;
      keep(event.sequence);
    }
  } catch (error) {
    if (error instanceof WaypostError && error.code === 'sequence_unknown') throw usage(error.message);
    throw failureOfClient(error, api);
  }
  if (after !== undefined) out.note(`To go on: npx waypost events tail --after ${after}`);
  return EXIT.interrupted;
}

function describe(event: WaypostEvent, terminal: Terminal): string {
  const [subject] = Object.values(event.data).map((value: unknown) => value);
  const members = ['id', 'to', 'name', 'phone_number', 'url', 'status', 'error.code', 'error.message'];
  const words = members.map((member) => readCell(subject, member)).filter((word) => word !== '-');
  const type = event.type.padEnd(17);
  const [, status = ''] = event.type.split('.');
  const coloured = type.replace(status, colourWord(status, terminal));
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
    throw usage(`The state file ${path} cannot be read: ${messageOf(error)}`);
  }
  return wholeNumber(text.trim(), `What is in ${path}`);
}

/** Replaces the file as a whole: half a number would be another number. */
function writeState(path: string, sequence: number): void {
  writeFileSync(`${path}.new`, `${sequence}\n`);
  renameSync(`${path}.new`, path);
}

import { sendFile } from '../bulk/send-file.ts';
import { type CommandSpec, type OptionSpec, textOf } from '../command-spec.ts';
import { sendOnce, validate } from '../send-once.ts';

const CONTENT: readonly OptionSpec[] = [
  {
    flags: '--to <numbers>',
    about: 'who gets it: a number, or several separated by commas; may be repeated',
    many: true,
  },
  { flags: '--text <text>', about: 'the text of the message' },
  { flags: '--preview-url', about: 'shows a preview of the first link in the text' },
  { flags: '--template <name>', about: 'or the name of a template' },
  { flags: '--language <code>', about: "the template's language, such as en_US" },
  {
    flags: '--param <value>',
    about: "a value for the template's body: in order, or as NAME=VALUE; may be repeated",
    many: true,
  },
  {
    flags: '--component-json <json>',
    about: "any other component, in the API's shape; may be repeated",
    many: true,
  },
  { flags: '--from <channel>', about: 'the channel to send from, by its id or number' },
  { flags: '--client-reference <text>', about: 'a reference of yours, which comes back with the messages' },
];

/** Sending, to a few people or to a file of them, and checking a send. */
export const sendCommands: readonly CommandSpec[] = [
  {
    use: 'send',
    about: 'sends a text or a template, to up to 50 people or to all in a CSV file',
    key: 'account',
    options: [
      ...CONTENT,
      { flags: '--idempotency-key <key>', about: 'names this send, so that repeating it sends nothing twice' },
      {
        flags: '--csv <file>',
        about: 'sends to every row; it needs a column "to", and others fill {{column}} in texts',
      },
      { flags: '--delimiter <character>', about: 'what separates the columns; a comma if not given' },
      { flags: '--report <file>', about: 'where the outcome of each row goes; FILE.report.csv if not given' },
      {
        flags: '--force',
        about: 'goes on with a file after its keys have expired, though some people may get it twice',
      },
    ],
    examples: [
      'send --to +447700900123 --text "Your parcel is here"',
      'send --to +447700900123,+447700900124 --template order_update --language en_US --param Ada',
      'send --csv people.csv --text "Hello {{name}}, your parcel is here"',
      'send --csv people.csv --template order_update --language en_US --param name',
    ],
    run: (invocation) =>
      textOf(invocation.options, 'csv') === undefined ? sendOnce(invocation) : sendFile(invocation),
  },
  {
    use: 'validate',
    about: 'checks a send without storing or sending anything',
    key: 'account',
    options: CONTENT,
    examples: ['validate --to +447700900123 --template order_update --language en_US --param Ada'],
    run: validate,
  },
];

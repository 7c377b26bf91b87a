import { Command, Help, Option } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { createApi } from './api.ts';
import { type CommandSpec, type OptionSpec, type Options, textOf } from './command-spec.ts';
import { EXIT, usage } from './failure.ts';
import { createOutput } from './output.ts';
import { noAddress, noKey, readSettings } from './settings.ts';
import type { Surroundings } from './surroundings.ts';

const GROUPS: Record<string, string> = {
  messages: 'messages, and what became of them',
  requests: 'what became of one send',
  events: 'what has happened, in order',
  endpoints: 'your URLs that receive events',
  templates: 'templates that the provider knows',
  channels: 'phone numbers',
  accounts: "the platform's customers (platform key)",
  keys: "accounts' keys (platform key)",
  notifications: 'what the provider has posted (platform key)',
};

const AFTER = `
Address and key: --url and --key-file; else WAYPOST_URL and WAYPOST_API_KEY (WAYPOST_PLATFORM_KEY for the platform's
commands); else what "npm start" wrote to .waypost/dev.json. "npx waypost config" shows what is used.

Exit codes: 0 all is well, all recipients accepted or valid; 1 a call, a recipient or a check failed;
2 the command line is wrong; 130 ended by Ctrl-C.

Examples:
  $ npx waypost send --to +447700900123 --text "Your parcel is here"
  $ npx waypost messages --status failed
  $ npx waypost doctor`;

interface Deps {
  around: Surroundings;
  isClosed(): boolean;
  onEnd(exitCode: number): void;
}

/** The parser of the command line, with a command for each specification. */
export function createProgram(specs: readonly CommandSpec[], deps: Deps): Command {
  const { stdout, stderr } = deps.around;
  const program = new Command('waypost')
    .description('Sends WhatsApp messages through a Waypost gateway, and looks after one.')
    .version(manifest.version, '--version', 'the version of this command line')
    .option('--url <url>', "the gateway's address")
    .option('--key-file <file>', 'a file with the key')
    .option('--json', "the API's own JSON, for programs")
    .addOption(new Option('--key <key>').hideHelp())
    .addHelpText('after', AFTER)
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError(moreAt('waypost'))
    .exitOverride();
  for (const spec of specs) addCommand(program, spec, deps);
  for (const group of program.commands.filter(({ commands }) => commands.length > 0)) finishGroup(group, specs);
  return program;
}

/** Gives a group examples, and the options of its list, because the word "list" may be left out. */
function finishGroup(group: Command, specs: readonly CommandSpec[]): void {
  group.addHelpText('after', examplesText(examplesOf(group.name(), specs)));
  const names = group.commands.map((command) => command.name());
  group.showHelpAfterError(`Its commands: ${names.join(', ')}.\n${moreAt(`waypost ${group.name()}`)}`);
  const list = group.commands.find((command) => command.name() === 'list');
  if (list) group.configureHelp({ showGlobalOptions: true, visibleOptions: () => new Help().visibleOptions(list) });
}

/** What follows an error of the command line. */
function moreAt(words: string): string {
  return `(npx ${words} --help says more)`;
}

function addCommand(program: Command, spec: CommandSpec, deps: Deps): void {
  const words = spec.use.split(' ');
  const names = words.filter((word) => !/^[<[]/.test(word));
  const parent = names.length > 1 ? findGroup(program, names[0] ?? '') : program;
  const own = words.slice(names.length - 1).join(' ');
  const isDefault = names.at(-1) === 'list';
  const command = parent
    .command(own, { isDefault })
    .description(isDefault ? `${spec.about} (the default command)` : spec.about);
  for (const option of spec.options ?? []) command.addOption(createOption(option));
  command.addHelpText('after', examplesText(spec.examples));
  const helped = isDefault ? parent : command;
  command.showHelpAfterError(`Usage: ${usageOf(command)}\n${moreAt(usageOf(helped).replace(/ [[<].*/, ''))}`);
  command.action(async () => {
    deps.onEnd((await run(spec, command.args, command.optsWithGlobals(), deps)) ?? EXIT.done);
  });
}

function usageOf(command: Command): string {
  return new Help().commandUsage(command);
}

/** An example of each command of a group. */
function examplesOf(group: string, specs: readonly CommandSpec[]): string[] {
  return specs.filter(({ use }) => use.startsWith(`${group} `)).flatMap(({ examples }) => examples.slice(0, 1));
}

function examplesText(examples: readonly string[]): string {
  const lines = examples.map((example) => `  $ npx waypost ${example}`);
  return `\n${lines.length > 1 ? 'Examples' : 'Example'}:\n${lines.join('\n')}`;
}

function findGroup(program: Command, name: string): Command {
  const found = program.commands.find((command) => command.name() === name);
  return found ?? program.command(name).description(GROUPS[name] ?? name);
}

function createOption({ flags, about, many, required, choices }: OptionSpec): Option {
  const option = new Option(flags, required ? `${about} (must be given)` : about);
  if (many) option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value]);
  if (choices) option.choices(choices);
  return required ? option.makeOptionMandatory() : option;
}

async function run(spec: CommandSpec, args: readonly string[], options: Options, { around, isClosed }: Deps) {
  if (options.key !== undefined)
    throw usage(
      'A key on the command line can be read by everybody on this machine, and stays in the history of the shell. Give it in a file with --key-file, or in WAYPOST_API_KEY; and roll this one.',
    );
  const settings = readSettings({ url: textOf(options, 'url'), keyFile: textOf(options, 'keyFile') }, around.env);
  if (spec.key !== 'none' && settings.url === undefined) throw noAddress();
  const key = spec.key === 'none' ? undefined : settings.keys[spec.key];
  if (spec.key !== 'none' && key === undefined) throw noKey(spec.key);
  const api = createApi(settings.url?.value ?? '', key?.value, key?.source ?? '');
  const out = createOutput(options.json === true, around, isClosed);
  return spec.run({ args, options, api, settings, out, around });
}

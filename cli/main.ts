import { runCommandLine } from './run-command-line.ts';

// The process is not ended here, so that everything that was written gets out first.
process.exitCode = await runCommandLine(process.argv.slice(2), process);

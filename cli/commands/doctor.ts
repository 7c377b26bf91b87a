import type { CommandSpec } from '../command-spec.ts';
import { runDoctor } from '../doctor/run-doctor.ts';

export const doctorCommand: CommandSpec = {
  use: 'doctor',
  about: 'checks settings, gateway, key, channels, callback and endpoints, and says what to do',
  key: 'none',
  options: [
    { flags: '--callback-url <url>', about: "the callback as the provider reaches it; the gateway's own if not given" },
    { flags: '--verify-token-file <file>', about: 'a file with a verify token, to try the verification' },
    { flags: '--app-secret-file <file>', about: 'a file with an app secret, to try a signed notification' },
  ],
  examples: [
    'doctor',
    'doctor --callback-url https://waypost.example/api/messaging/webhook --app-secret-file app-secret.txt',
  ],
  run: runDoctor,
};

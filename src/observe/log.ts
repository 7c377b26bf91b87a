import { type Logger, pino } from 'pino';
import { errorCodeOf } from '../kernel/error-code.ts';
import { messageOf } from '../kernel/message-of.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';

/** Lines are written together: so many bytes, or what there is after so long. */
const BYTES_A_WRITE = 8_192;
const WRITE_EVERY_MS = 200;
/** While none can be written; later ones are lost. */
const BYTES_HELD_MAX = 1 << 20;
const WARN = pino.levels.values.warn ?? 40;

/**
 * Structured logs, one JSON line each, to standard error. Lines of quiet work share a write with others, because a system
 * call for each would cost more than the line; a warning and all that is worse is written at once, with all before it.
 */
export function createLog(level: string): Logger {
  const held = { minLength: BYTES_A_WRITE, periodicFlush: WRITE_EVERY_MS, maxLength: BYTES_HELD_MAX };
  const destination = pino.destination({ dest: 2, sync: true, ...held });
  const goOn = () => undefined;
  // A full disk, or a terminal that was closed, must not end the gateway: the lines are written when there is room again.
  destination.on('error', goOn);
  // pino calls this after a fatal line. By itself it tries again and again until all is written, and this thread would stand still for as long
  // as the disk is full. The hook below has tried once.
  destination.flushSync = goOn;
  // Also after an error that nobody has caught: its last lines are the ones that tell why. What cannot be written is tried once.
  process.on('exit', () => destination.flush());
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (error: unknown) => describeError(error) },
      hooks: {
        logMethod(args, method, lineLevel) {
          method.apply(this, args);
          if (lineLevel >= WARN) destination.flush();
        },
      },
    },
    destination,
  );
}

interface DescribedError {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: DescribedError;
}

/**
 * Only what says what went wrong and where. Errors of drivers carry their whole connection along, with its keys and
 * statements, and none of that may reach a log. The message of a syntax error quotes what could not be read, which may be
 * anybody's words. Where the store is away, no line of ours is to blame: every loop and every call says so again and again, and the places
 * would be four fifths of a log of a long night.
 */
function describeError(error: unknown, withPlace = true): DescribedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { name: type, cause } = error;
  const quotes = error instanceof SyntaxError;
  const placed = withPlace && !isAway(error);
  const stack = quotes ? error.stack?.slice(error.stack.indexOf('\n    at ')) : error.stack;
  return {
    type,
    message: quotes ? 'Something could not be parsed' : messageOf(error),
    ...('code' in error && { code: String(error.code) }),
    ...(placed && stack !== undefined && { stack }),
    ...(cause !== undefined && { cause: describeError(cause, placed) }),
  };
}

/** The statement ran into its time limit, or did not get its lock in time. */
const OF_ONE_STATEMENT: readonly (string | undefined)[] = ['57014', '55P03'];

/** Not if the store is there and has ended one statement: the place alone says which. */
function isAway(error: Error): boolean {
  return error instanceof StoreUnavailable && !OF_ONE_STATEMENT.includes(errorCodeOf(error.cause));
}

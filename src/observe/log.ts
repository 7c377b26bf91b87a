import { type Logger, pino } from 'pino';

/** Structured logs, one JSON line each, to standard error. */
export function createLog(level: string): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
  };
  return pino(options, pino.destination(2));
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
 * statements, and none of that may reach a log.
 */
function describeError(error: unknown): DescribedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { name: type, message, stack, cause } = error;
  return {
    type,
    message,
    ...('code' in error && { code: String(error.code) }),
    ...(stack !== undefined && { stack }),
    ...(cause !== undefined && { cause: describeError(cause) }),
  };
}

import { errorCode } from './error-codes.ts';
import { newTraceId } from './made-up.ts';

interface Exceptions {
  /** What the error is about; it stands in `error_data`, which only messages' errors have. */
  details?: string;
  subcode?: number;
  type?: string;
  status?: number;
  /** Graph's own sentence, if it is not the code's title. */
  message?: string;
}

/** A refusal in the words of the provider's Graph API. Thrown anywhere below a route, it is that route's answer. */
export class GraphError extends Error {
  readonly code: number;
  readonly status: number;
  readonly #exceptions: Exceptions;

  constructor(code: number, exceptions: Exceptions = {}) {
    super(exceptions.message ?? `(#${code}) ${errorCode(code).title}`);
    this.code = code;
    this.status = exceptions.status ?? errorCode(code).status;
    this.#exceptions = exceptions;
  }

  /** The body of the answer. Each has a new trace id. */
  toBody(): unknown {
    const { details, subcode, type = 'OAuthException' } = this.#exceptions;
    return {
      error: {
        message: this.message,
        type,
        code: this.code,
        ...(subcode === undefined ? {} : { error_subcode: subcode }),
        ...(details === undefined ? {} : { error_data: { messaging_product: 'whatsapp', details } }),
        fbtrace_id: newTraceId(),
      },
    };
  }
}

/** A refusal of a message, with what is wrong with it; without `details`, what the provider says of that code. */
export function refusal(code: number, details = errorCode(code).details): GraphError {
  return new GraphError(code, { details });
}

/** A fault in a member of the body itself. The provider names it in the message, without further details. */
export function parameterError(sentence: string): GraphError {
  return new GraphError(100, { message: `(#100) ${sentence}` });
}

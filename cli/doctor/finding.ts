/** One line of the doctor's output. */
export interface Finding {
  level: 'ok' | 'warn' | 'fail';
  /** What was looked at. */
  check: string;
  detail: string;
  /** What to do, unless all is well. */
  todo?: string;
}

export function ok(check: string, detail: string): Finding {
  return { level: 'ok', check, detail };
}

export function warn(check: string, detail: string, todo: string): Finding {
  return { level: 'warn', check, detail, todo };
}

export function fail(check: string, detail: string, todo: string): Finding {
  return { level: 'fail', check, detail, todo };
}

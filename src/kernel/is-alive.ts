import { errorCodeOf } from './error-code.ts';

/** Whether there is a process of this id on this machine. One that has ended still counts until its parent has collected it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is there, and belongs to somebody else.
    return errorCodeOf(error) === 'EPERM';
  }
}

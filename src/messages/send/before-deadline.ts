/** Waits for what is asked, and not beyond the deadline: then it is `late`, and what comes of it is nobody's concern any more. */
export function beforeDeadline<Value, Late>(
  asked: Promise<Value>,
  deadline: AbortSignal,
  late: Late,
): Promise<Value | Late> {
  const { promise, resolve } = Promise.withResolvers<Late>();
  const end = () => resolve(late);
  if (deadline.aborted) end();
  deadline.addEventListener('abort', end, { once: true });
  return Promise.race([asked, promise]).finally(() => deadline.removeEventListener('abort', end));
}

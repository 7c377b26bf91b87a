/** Runs a step of a start, which may be begun again as often as it is needed. */
export type RunStep = <Value>(step: () => Promise<Value>) => Promise<Value>;

/** For a start that waits for nothing: a step that fails ends it. */
export const runOnce: RunStep = (step) => step();

/**
 * Loaded into a gateway before its own code (`--import`). At SIGUSR2 the clock jumps by FAULTS_CLOCK_SHIFT_MS, and at the next one it jumps
 * back. Timers go on as before, as they do when the clock of a real machine is set.
 */
const RealDate = Date;
const shiftMs = Number(process.env.FAULTS_CLOCK_SHIFT_MS ?? 0);
let offsetMs = 0;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [RealDate.now() + offsetMs] : args, newTarget),
  apply: () => new RealDate(RealDate.now() + offsetMs).toString(),
  get: (target, name) => (name === 'now' ? () => RealDate.now() + offsetMs : Reflect.get(target, name)),
});

process.on('SIGUSR2', () => {
  offsetMs = offsetMs === 0 ? shiftMs : 0;
});

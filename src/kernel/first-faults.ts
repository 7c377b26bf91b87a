/**
 * The first of some faults: as many as have `charactersMax` characters together, and always at least one. A request can be made to hold
 * thousands of faults, each with a long pointer, and an answer with all of them would be many times as large as the request.
 */
export function firstFaults<Fault extends object>(faults: readonly Fault[], charactersMax: number): Fault[] {
  let characters = 0;
  const tooMuch = faults.findIndex((fault, place) => {
    for (const text of Object.values(fault)) characters += String(text).length;
    return characters > charactersMax && place > 0;
  });
  return tooMuch === -1 ? [...faults] : faults.slice(0, tooMuch);
}

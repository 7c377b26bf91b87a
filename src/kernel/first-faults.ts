/**
 * The first of some faults: as many as have so many characters together, and one at least. What a caller sends can be made to hold
 * thousands, each with a long pointer, and an answer that tells them all would be many times as large as the request.
 */
export function firstFaults<Fault extends object>(faults: readonly Fault[], charactersMax: number): Fault[] {
  let characters = 0;
  const tooMuch = faults.findIndex((fault, place) => {
    for (const text of Object.values(fault)) characters += String(text).length;
    return characters > charactersMax && place > 0;
  });
  return tooMuch === -1 ? [...faults] : faults.slice(0, tooMuch);
}

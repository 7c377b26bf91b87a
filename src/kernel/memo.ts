/** Gives what was made for a key before, or makes and keeps it. A full one is emptied: what is in use comes back at once. */
export function createMemo<Value>(entriesMax: number): (key: string, make: () => Value) => Value {
  const made = new Map<string, Value>();
  return (key, make) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make();
    if (made.size >= entriesMax) made.clear();
    made.set(key, value);
    return value;
  };
}

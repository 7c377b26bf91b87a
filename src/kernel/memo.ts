/** Gives the value made for a key before, or makes and keeps one. When it is full, all are forgotten: values in use are soon made again. */
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

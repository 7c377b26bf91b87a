/** Tells at once all that it is given within one turn of the loop, because each message wakes the other thread. */
export function inOneMessage<Item>(tell: (items: Item[]) => void): (item: Item) => void {
  let items: Item[] = [];
  const tellAll = () => {
    const told = items;
    items = [];
    tell(told);
  };
  return (item) => {
    if (items.push(item) === 1) setImmediate(tellAll);
  };
}

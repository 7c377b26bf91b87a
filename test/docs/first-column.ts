/** The words in code in the first cells of the tables of a page, or of a part of one. */
export function firstColumn(text: string): string[] {
  const cells = [...text.matchAll(/^\| (`[^|]+`) \|/gm)].map(([, cell = '']) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word));
}

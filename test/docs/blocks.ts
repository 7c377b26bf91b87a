import { glob, read } from '../support/tree.ts';

/** Everything that people read: the pages at the root and in docs/. */
export const PAGES = glob('{*.md,docs/**/*.md}');

/** The code blocks of a page that are in a language, in their order. */
export function blocksOf(page: string, language: string): string[] {
  const fences = read(page).matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm);
  return [...fences].filter(([, given]) => given === language).map(([, , block = '']) => block);
}

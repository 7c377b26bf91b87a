import { glob, read } from '../support/tree.ts';

/** All pages that people read: those at the root and in docs/. */
export const PAGES = glob('{*.md,docs/**/*.md}');

/** The code blocks of a page that are in this language, in order. */
export function blocksOf(page: string, language: string): string[] {
  const fences = read(page).matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm);
  return [...fences].filter(([, given]) => given === language).map(([, , block = '']) => block);
}

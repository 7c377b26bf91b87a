import type { Page } from 'playwright-core';

/**
 * The words that are broken between two lines, though they are our own: in titles of columns, in cells of short words, in what a bar stands
 * for, and in statuses.
 */
export function findBrokenWords(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const broken: string[] = [];
    for (const cell of document.querySelectorAll('thead th, tbody td:not(.any-text), .bar-label, .status')) {
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const text = texts.currentNode;
        if (text.parentElement?.closest('code')) continue;
        for (const word of text.nodeValue?.matchAll(/\S+/g) ?? []) {
          const range = document.createRange();
          range.setStart(text, word.index);
          range.setEnd(text, word.index + word[0].length);
          if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(word[0]);
        }
      }
    }
    return broken;
  });
}

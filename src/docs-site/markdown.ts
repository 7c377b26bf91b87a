import MarkdownIt, { type Token } from 'markdown-it';

/** One heading of a page, with the anchor that leads to it. */
export interface Heading {
  level: number;
  text: string;
  anchor: string;
}

export interface RenderedMarkdown {
  html: string;
  headings: Heading[];
}

/** HTML in a page would be shown as text: the pages need none, and so nothing in them can run. */
const markdownIt = new MarkdownIt({ html: false });
// What is wider than a phone scrolls by itself, and can be reached by the keyboard.
markdownIt.renderer.rules.table_open = () => '<div class="wide" tabindex="0"><table>\n';
markdownIt.renderer.rules.table_close = () => '</table></div>\n';
// A corner that heads nothing is no heading for a screen reader either.
markdownIt.renderer.rules.th_open = (tokens, place) => `<${headTag(tokens[place + 1])}>`;
markdownIt.renderer.rules.th_close = (tokens, place) => `</${headTag(tokens[place - 1])}>\n`;
markdownIt.renderer.rules.fence = (tokens, place) =>
  `<pre tabindex="0"><code>${escapeHtml(tokens[place]?.content ?? '')}</code></pre>\n`;
markdownIt.renderer.rules.heading_close = (tokens, place) => {
  const { tag, meta } = tokens[place] ?? {};
  const link = tag === 'h1' ? '' : ` <a class="anchor" href="#${meta?.anchor}" aria-label="Link to this section">#</a>`;
  return `${link}</${tag}>\n`;
};

/** Renders one page. `linkTo` gives the address of a link, or undefined if it leads nowhere when served. */
export function renderMarkdown(markdown: string, linkTo: (href: string) => string | undefined): RenderedMarkdown {
  const tokens = markdownIt.parse(markdown, {});
  const headings = setAnchors(tokens);
  for (const { children } of tokens) setLinks(children ?? [], linkTo);
  return { html: markdownIt.renderer.render(tokens, markdownIt.options, {}), headings };
}

/** The links of a page in their order, with the heading that each stands under. */
export function readLinks(markdown: string): { href: string; text: string; under: string }[] {
  let under = '';
  return markdownIt.parse(markdown, {}).flatMap((token, place, tokens) => {
    if (tokens[place - 1]?.type === 'heading_open') under = textOf(token);
    const inline = token.children ?? [];
    return inline.flatMap((part, at) =>
      part.type === 'link_open' ? [{ href: hrefOf(part), text: linkText(inline.slice(at + 1)), under }] : [],
    );
  });
}

/** The name of a heading's anchor, as git hosts make it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

/** A text as it may stand in HTML. */
export function escapeHtml(text: string): string {
  return markdownIt.utils.escapeHtml(text);
}

/** Gives every heading its anchor; one that comes again is numbered, as git hosts do it. */
function setAnchors(tokens: Token[]): Heading[] {
  const seen = new Map<string, number>();
  const headings: Heading[] = [];
  for (const [place, open] of tokens.entries()) {
    const inline = tokens[place + 1];
    const close = tokens[place + 2];
    if (open.type !== 'heading_open' || inline === undefined || close === undefined) continue;
    const text = textOf(inline);
    const plain = anchorOf(text);
    const before = seen.get(plain) ?? 0;
    seen.set(plain, before + 1);
    const anchor = before === 0 ? plain : `${plain}-${before}`;
    open.attrSet('id', anchor);
    close.meta = { anchor };
    headings.push({ level: Number(open.tag.slice(1)), text, anchor });
  }
  return headings;
}

/** What is not served stays as its text: a link that leads to a 404 helps nobody. */
function setLinks(inline: Token[], linkTo: (href: string) => string | undefined): void {
  let broken = false;
  for (const token of inline) {
    if (token.type === 'link_open') {
      const to = linkTo(hrefOf(token));
      broken = to === undefined;
      if (to !== undefined) token.attrSet('href', to);
      else Object.assign(token, { tag: 'span', attrs: [['title', `In the source: ${hrefOf(token)}`]] });
    }
    if (token.type === 'link_close' && broken) token.tag = 'span';
  }
}

function headTag(inside: Token | undefined): string {
  return inside?.content === '' ? 'td' : 'th';
}

function hrefOf(token: Token): string {
  return String(token.attrGet('href') ?? '');
}

function linkText(after: Token[]): string {
  const end = after.findIndex(({ type }) => type === 'link_close');
  return after
    .slice(0, end)
    .map(({ content }) => content)
    .join('');
}

function textOf({ children }: Token): string {
  return (children ?? []).map(({ content }) => content).join('');
}

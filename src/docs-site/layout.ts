import { escapeHtml } from './markdown.ts';

/** One group of links in the navigation. */
export interface NavigationGroup {
  title: string;
  links: { href: string; text: string; current: boolean }[];
}

export interface Layout {
  title: string;
  /** The page itself, as HTML. */
  content: string;
  navigation: NavigationGroup[];
  /** The sections of this page, shown below its link. */
  sections: { text: string; anchor: string }[];
  /** From this page to the landing page, the style and the page as Markdown. */
  hrefs: { home: string; style: string; source: string };
}

/** The whole HTML of one page. The navigation comes after the text, so that a phone shows the text first. */
export function layOut({ title, content, navigation, sections, hrefs }: Layout): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title.startsWith('Waypost') ? title : `${title} - Waypost`)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${hrefs.style}">
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header><a class="home" href="${hrefs.home}">Waypost</a> <a class="menu" href="#navigation">Contents</a></header>
<div class="page">
<main id="content" tabindex="-1">
${content}<p class="source"><a href="${hrefs.source}">This page as Markdown</a></p>
</main>
<nav id="navigation" aria-label="Documentation">
${navigation.map((group) => navigationGroup(group, sections)).join('\n')}
</nav>
</div>
</body>
</html>
`;
}

function navigationGroup({ title, links }: NavigationGroup, sections: Layout['sections']): string {
  const items = links.map(({ href, text, current }) => {
    const inside = current ? sectionList(sections) : '';
    return `<li><a href="${href}"${current ? ' aria-current="page"' : ''}>${escapeHtml(text)}</a>${inside}</li>`;
  });
  return `<h2>${escapeHtml(title)}</h2>\n<ul>\n${items.join('\n')}\n</ul>`;
}

function sectionList(sections: Layout['sections']): string {
  if (sections.length === 0) return '';
  const items = sections.map(({ text, anchor }) => `<li><a href="#${anchor}">${escapeHtml(text)}</a></li>`);
  return `\n<ul>${items.join('')}</ul>`;
}

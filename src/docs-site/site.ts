import { layOut, type NavigationGroup } from './layout.ts';
import { createLinks, relativeUrl, urlOf } from './links.ts';
import { readLinks, renderMarkdown } from './markdown.ts';
import type { DocsPage } from './pages.ts';

/** The HTML of a page. */
export type DocsSite = (page: DocsPage) => string;

/** The pages as they are served. Each is rendered when it is first asked for, and kept. */
export function createDocsSite(pages: readonly DocsPage[]): DocsSite {
  const render = createRender(pages);
  const rendered = new Map<DocsPage, string>();
  return (page) => {
    const html = rendered.get(page) ?? render(page);
    rendered.set(page, html);
    return html;
  };
}

/** The navigation is the map on the landing page, so there is no second list to keep. */
function createRender(pages: readonly DocsPage[]): (page: DocsPage) => string {
  const linkTo = createLinks(pages);
  const home = pages.find(({ name }) => name === '');
  const map = [...Map.groupBy(readLinks(home?.markdown ?? ''), ({ under }) => under)];
  return (page) => {
    const { html, headings } = renderMarkdown(page.markdown, (href) => linkTo(page, href));
    const url = urlOf(page.name);
    const navigation = map.flatMap(([title, links]): NavigationGroup[] => {
      const shown = links.flatMap(({ href, text }) => {
        const to = home && linkTo(home, href);
        if (to === undefined) return [];
        const absolute = `/${to}`;
        return [{ href: relativeUrl(url, absolute), text, current: absolute === url }];
      });
      return shown.length === 0 ? [] : [{ title, links: shown }];
    });
    return layOut({
      title: headings[0]?.text ?? page.file,
      content: html,
      navigation,
      sections: headings.filter(({ level }) => level === 2),
      hrefs: {
        home: relativeUrl(url, '/docs'),
        style: relativeUrl(url, '/docs/style.css'),
        source: relativeUrl(url, `/docs/${page.file}`),
      },
    });
  };
}

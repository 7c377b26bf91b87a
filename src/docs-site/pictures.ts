import { readdirSync, readFileSync } from 'node:fs';

const PICTURES_DIR = new URL('../../docs/pictures/', import.meta.url);

/** Finds a picture of the documentation by its path, such as `pictures/console-send.png`; the list is read once. */
export function readPictures(): (path: string) => Buffer | undefined {
  const known = new Set(readdirSync(PICTURES_DIR).filter((name) => name.endsWith('.png')));
  return (path) => {
    const name = path.startsWith('pictures/') ? path.slice('pictures/'.length) : '';
    return known.has(name) ? readFileSync(new URL(name, PICTURES_DIR)) : undefined;
  };
}

import { compile } from 'json-schema-to-typescript';
import { widenBodies } from './widen-bodies.ts';

/** The name of a type that is made only to contain all others. */
const ROOT = 'Everything';
const BANNER = `// The types of the API, made from docs/openapi.json by \`npm run generate\`.
// biome-ignore-all format: The generator has a form of its own.`;
const SHARED = '#/components/schemas/';
/** Members of a schema that say nothing about the type. */
const NOTES = ['description', 'title', 'default', 'deprecated'];

/** The types of the client: one for each shared schema of the API description that an account can meet, under the schema's name. */
export async function clientTypes(description: string): Promise<string> {
  const { paths, webhooks, components } = JSON.parse(description);
  const { schemas } = JSON.parse(description, (_, value) => prepare(value)).components;
  const calls = Object.entries(paths).filter(([path]) => path.startsWith('/api/v1/'));
  const shared = [...reach([...calls, webhooks], components)].filter((path) => path.startsWith(SHARED)).sort();
  const names = shared.map((path) => path.slice(SHARED.length));
  const definitions = Object.fromEntries(names.map((name) => [name, schemas[name]]));
  const text = await compile({ title: ROOT, type: 'object', definitions }, ROOT, {
    additionalProperties: false,
    bannerComment: BANNER,
    unreachableDefinitions: true,
    style: { printWidth: 120, singleQuote: true },
  });
  const ofAnswers = reach([withoutBodies(calls), webhooks], components);
  const ofBodies = names.filter((name) => !ofAnswers.has(`${SHARED}${name}`));
  return widenBodies(shortComments(text.replace(`export interface ${ROOT} {}\n`, '')), ofBodies);
}

function withoutBodies(calls: unknown): unknown {
  return JSON.parse(JSON.stringify(calls, (name, value) => (name === 'requestBody' ? undefined : value)));
}

/** The schemas that a part of the description refers to, directly or through others. */
function reach(part: unknown, components: Record<string, Record<string, unknown>>, found = new Set<string>()) {
  for (const [, path = '', kind = '', name = ''] of JSON.stringify(part).matchAll(/"(#\/components\/(\w+)\/(\w+))"/g)) {
    if (found.has(path)) continue;
    found.add(path);
    reach(components[kind]?.[name], components, found);
  }
  return found;
}

type Loose = Partial<Record<string, unknown>> & { $ref?: string };

/**
 * Changes a schema for the generator: a type is named where it is used, and not written out there. A value of any type becomes `unknown`,
 * so that it must be checked before it is used.
 */
function prepare(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  // The gateway checks the lengths of arrays. Types that did it would be tuples of every length, which nobody could write.
  const { $ref, minItems: _, maxItems: __, examples: ___, ...rest }: Loose = { ...value };
  if ($ref?.startsWith(SHARED)) return { ...rest, tsType: $ref.slice(SHARED.length) };
  const saysNothing = typeof rest.description === 'string' && Object.keys(rest).every((name) => NOTES.includes(name));
  return saysNothing ? { ...rest, tsType: 'unknown' } : rest;
}

/** Puts a comment on one line if it fits, and removes what the generator says about how it came to a type. */
function shortComments(text: string): string {
  const origin = / +\* This \w+ was referenced by .*\n +\* via the `\w+` ".*"\.\n/.source;
  return text
    .replace(new RegExp(` +\\*\\n${origin}`, 'g'), '')
    .replace(new RegExp(` *\\/\\*\\*\\n${origin} +\\*\\/\\n`, 'g'), '')
    .replace(/\/\*\*\n +\* (.*)\n +\*\//g, '/** $1 */');
}

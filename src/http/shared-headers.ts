import type { DescribedHeader } from './operation.ts';
import { text } from './schema-words.ts';

/** Where what was created can be read. */
export const LOCATION: DescribedHeader = {
  description: 'Where it can be read.',
  schema: text('An absolute address.', { format: 'uri' }),
  example: 'https://waypost.example/...',
};

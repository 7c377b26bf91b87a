import { EXAMPLE } from '../http/examples.ts';
import type { Operation } from '../http/operation.ts';
import { listOf, ref } from '../http/schema-words.ts';

/** How the API description tells of templates. */
export const templateOperations = {
  list: {
    id: 'listTemplates',
    tag: 'Templates',
    description: "Lists the templates of the account's channels of the key's mode, as they were last read.",
    answers: { 200: { description: 'A page of templates.', schema: listOf('Template') } },
    errors: ['unknown_channel', 'no_channel'],
  },
  read: {
    id: 'readTemplate',
    tag: 'Templates',
    description: 'Reads one template with its components.',
    params: { id: `The id of the template, such as \`${EXAMPLE.templateId}\`.` },
    answers: { 200: { description: 'The template.', schema: ref('Template') } },
  },
  sync: {
    id: 'syncTemplates',
    tag: 'Templates',
    description: 'Reads all templates from the provider now, instead of at the next turn of the schedule.',
    answers: { 200: { description: 'How many templates have changed.', schema: ref('TemplateSync') } },
  },
} as const satisfies Record<string, Operation>;

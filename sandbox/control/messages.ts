import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Context } from '../context.ts';
import { bodyText, queryText } from '../request.ts';
import { TemplateSchema } from '../template.ts';
import { ControlError, readBody } from './error.ts';

/** The members of a template that a test need not give, with their usual values. */
const USUAL = { parameter_format: 'POSITIONAL', rejected_reason: 'NONE', quality_score: { score: 'UNKNOWN' } } as const;
const { parameter_format, rejected_reason, quality_score } = TemplateSchema.properties;
const GivenTemplate = Type.Object({
  ...TemplateSchema.properties,
  parameter_format: Type.Optional(parameter_format),
  rejected_reason: Type.Optional(rejected_reason),
  quality_score: Type.Optional(quality_score),
});
const TemplatesBody = Type.Object({
  business_account_id: Type.String({ minLength: 1 }),
  templates: Type.Array(GivenTemplate),
});

/** What was transmitted, and the templates that messages may use. */
export function controlMessagesRoutes(app: FastifyInstance, { registry, transmits }: Context): void {
  app.get('/_sandbox/messages', async (request, reply) => {
    // An empty parameter asks for nothing, as a missing one does.
    const filled = (name: string) => queryText(request, name) || undefined;
    // In a query a plus stands for a space, and callers easily forget to escape it.
    const to = filled('to')?.replace(/^ /, '+');
    const json = transmits.toJson({ to, callbackData: filled('callback_data') });
    return reply.type('application/json; charset=utf-8').send(json);
  });

  app.post('/_sandbox/templates', async (request) => {
    const { business_account_id: businessAccountId, templates } = readBody(TemplatesBody, bodyText(request));
    const whole = templates.map((template) => ({ ...USUAL, ...template }));
    if (!registry.replace(businessAccountId, whole)) {
      throw new ControlError(422, 'Too many business accounts have templates of their own.');
    }
    return { success: true };
  });
}

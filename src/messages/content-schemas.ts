import { type TSchema, Type } from 'typebox';
import { answer, flag, orNull, ref, text } from '../http/schema-words.ts';
import { INBOUND_TYPES } from '../provider/inbound-types.ts';
import type { ContentType } from './message.ts';

/** What the examples of messages say. */
export const textContent = { body: 'Your parcel is here', preview_url: false };

/** What is sent has its form described. Inbound content of the same type has to fit it, or stands in `content`. */
const SENT: Readonly<Record<ContentType, TSchema>> = {
  text: Type.Optional(orNull(ref('TextContent', 'There if `type` is `text`.'))),
  template: Type.Optional(orNull(ref('TemplateContent', 'There if `type` is `template`.'))),
};
const INBOUND_ONLY = INBOUND_TYPES.filter((type) => !Object.hasOwn(SENT, type));

/**
 * The members that hold the content of a message, and the profile of who sent it: the one named after its type is there, and null once it is erased. A type
 * that the provider adds stands in a member of its own name too.
 */
export const contentMembers: Record<string, TSchema> = {
  profile: Type.Optional(
    orNull(
      Type.Unsafe({
        type: 'object',
        additionalProperties: true,
        description:
          'Of an inbound message: what the person is called in WhatsApp, as the provider sent it: the `name`, and the `username` if there is one.',
      }),
    ),
  ),
  ...SENT,
  ...Object.fromEntries(INBOUND_ONLY.map((type) => [type, inbound(`Inbound \`${type}\`, as the provider sent it.`)])),
  content: inbound(
    'Inbound content whose type has the name of another member, or that does not have the form described for its type.',
  ),
};

/** Shared schemas of the content of messages. */
export const contentSchemas = {
  TextContent: answer('The content of a text.', {
    body: Type.Optional(text('What was written.')),
    preview_url: Type.Optional(flag('Whether a preview of the first link is shown.')),
    group_id: Type.Optional(text("Inbound: the provider's id of the group that it was written in.")),
    errors: Type.Optional(
      Type.Array(Type.Unknown(), { description: 'Inbound: what the provider could not hand over, as it told it.' }),
    ),
    referral: asSent('Inbound: the ad or the post that the person came from, with its `ctwa_clid`.'),
    referred_product: asSent('Inbound: the product that it asks about.'),
    identity: asSent("Inbound: the person's new identity."),
    forwarded: Type.Optional(flag('Inbound: whether the person has forwarded it.')),
    frequently_forwarded: Type.Optional(flag('Inbound: whether it has been forwarded many times.')),
  }),
  TemplateContent: answer('The content of a template message.', {
    name: text('The name of the template, as the send gave it.'),
    language: text('A code such as `en_US`, also where the send gave it as `{code}`.'),
    components: Type.Optional(
      Type.Array(Type.Unsafe({ type: 'object', additionalProperties: true }), {
        description: "The variables, in the provider's component shapes.",
      }),
    ),
  }),
};

function asSent(description: string): TSchema {
  return Type.Optional(Type.Unsafe({ type: 'object', additionalProperties: true, description }));
}

function inbound(description: string): TSchema {
  return Type.Optional(Type.Unknown({ description }));
}

import { type Static, Type } from 'typebox';

const Button = Type.Object({
  type: Type.String(),
  text: Type.Optional(Type.String()),
  url: Type.Optional(Type.String()),
  example: Type.Optional(Type.Unknown()),
});

const Component = Type.Object({
  type: Type.String(),
  format: Type.Optional(Type.String()),
  text: Type.Optional(Type.String()),
  example: Type.Optional(Type.Unknown()),
  buttons: Type.Optional(Type.Array(Button)),
  limited_time_offer: Type.Optional(Type.Unknown()),
});

const CardComponents = Type.Array(Component);

/** A template as the provider lists it, without its id, which depends on the business account. */
export const TemplateSchema = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 512 }),
  language: Type.String({ minLength: 2 }),
  status: Type.String(),
  category: Type.String(),
  parameter_format: Type.Union([Type.Literal('POSITIONAL'), Type.Literal('NAMED')]),
  rejected_reason: Type.String(),
  quality_score: Type.Object({ score: Type.String(), date: Type.Optional(Type.Integer()) }),
  components: Type.Array(
    Type.Intersect([
      Component,
      Type.Object({ cards: Type.Optional(Type.Array(Type.Object({ components: CardComponents }))) }),
    ]),
  ),
});

export type Template = Static<typeof TemplateSchema>;
export type TemplateComponent = Template['components'][number];
export type TemplateButton = Static<typeof Button>;

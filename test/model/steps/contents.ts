const text = (value: string) => ({ type: 'text', text: value });
const body = { type: 'body', parameters: [text('Ada')] };
const header = { type: 'header', parameters: [{ type: 'image', image: { link: 'https://images.example/1.jpg' } }] };
const button = (sub_type: string, index: number, parameter: object) => ({
  type: 'button',
  sub_type,
  index,
  parameters: [parameter],
});
const promotion = [
  header,
  body,
  button('url', 0, text('ada')),
  button('quick_reply', 1, { type: 'payload', payload: 'MORE' }),
];

interface Content {
  type: 'text' | 'template';
  /** The members of the body that hold it. */
  members: object;
  /** Why nobody gets it; undefined: they do. */
  code?: string;
  /** It does not go to people who want no marketing. */
  isMarketing?: boolean;
}

const template = (name: string, components?: object[]) => ({ template: { name, language: 'en_US', components } });

/** What is sent, and what the sandbox's templates make of it. */
export const CONTENTS: Record<string, Content> = {
  text: { type: 'text', members: { text: { body: 'Hello' } } },
  'template without variables': { type: 'template', members: template('hello_world') },
  'template with one': { type: 'template', members: template('order_update', [body]) },
  marketing: { type: 'template', members: template('promo_image', promotion), isMarketing: true },
  'without its variable': { type: 'template', members: template('order_update'), code: 'template_parameters_invalid' },
  missing: { type: 'template', members: template('no_such_template'), code: 'template_not_found' },
  paused: { type: 'template', members: template('promo_paused'), code: 'template_paused' },
  disabled: { type: 'template', members: template('promo_disabled'), code: 'template_disabled' },
  pending: { type: 'template', members: template('promo_pending'), code: 'template_not_approved' },
};

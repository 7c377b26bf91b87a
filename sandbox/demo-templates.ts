import type { Template, TemplateButton, TemplateComponent } from './template.ts';

/** When the made-up quality scores were last looked at. */
const SCORED_AT = 1_750_000_000;

const IMAGE_HEADER: TemplateComponent = {
  type: 'HEADER',
  format: 'IMAGE',
  example: { header_handle: ['https://scontent.whatsapp.net/v/t61/example.jpg'] },
};

/** The templates that every business account has, unless it was given others. */
export const DEMO_TEMPLATES: readonly Template[] = [
  template('hello_world', 'UTILITY', [
    { type: 'HEADER', format: 'TEXT', text: 'Hello World' },
    { type: 'BODY', text: 'Welcome and congratulations!! This message shows that your templates work.' },
    { type: 'FOOTER', text: 'A sample message' },
  ]),
  template('order_update', 'UTILITY', [body('Hello {{1}}, your order is on its way.', 'Ada')]),
  {
    ...template('order_update', 'UTILITY', [body('Hallo {{1}}, deine Bestellung ist unterwegs.', 'Ada')]),
    language: 'de',
  },
  {
    ...template('greeting_named', 'UTILITY', [
      {
        type: 'BODY',
        text: 'Hello {{first_name}}, nice to meet you.',
        example: { body_text_named_params: [{ param_name: 'first_name', example: 'Ada' }] },
      },
    ]),
    parameter_format: 'NAMED',
  },
  template('promo_image', 'MARKETING', [
    IMAGE_HEADER,
    body('Dear {{1}}, our sale has begun.', 'Ada'),
    buttons(urlButton('Shop now', 'https://shop.example/sale/{{1}}'), { type: 'QUICK_REPLY', text: 'No more offers' }),
  ]),
  template('login_code', 'AUTHENTICATION', [
    body('*{{1}}* is your verification code.', '123456'),
    buttons(urlButton('Copy code', 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}')),
  ]),
  template('offer_limited', 'MARKETING', [
    { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Expiring offer!', has_expiration: true } },
    body('Good news, {{1}}! Use your code before it expires.', 'Ada'),
    buttons(
      { type: 'COPY_CODE', text: 'Copy offer code', example: ['SUMMER25'] },
      urlButton('Book now', 'https://shop.example/offers?code={{1}}'),
    ),
  ]),
  template('carousel_two', 'MARKETING', [
    { type: 'BODY', text: 'Two things that you might like.' },
    { type: 'CAROUSEL', cards: [card('Tell me more'), card('Show me that')] },
  ]),
  inState('promo_paused', 'PAUSED', { quality_score: { score: 'RED', date: SCORED_AT } }),
  inState('promo_disabled', 'DISABLED', { quality_score: { score: 'RED', date: SCORED_AT } }),
  inState('promo_pending', 'PENDING', { quality_score: { score: 'UNKNOWN' } }),
  inState('promo_rejected', 'REJECTED', { quality_score: { score: 'UNKNOWN' }, rejected_reason: 'PROMOTIONAL' }),
];

function template(name: string, category: string, components: TemplateComponent[]): Template {
  return {
    name,
    language: 'en_US',
    status: 'APPROVED',
    category,
    parameter_format: 'POSITIONAL',
    rejected_reason: 'NONE',
    quality_score: { score: 'GREEN', date: SCORED_AT },
    components,
  };
}

function inState(name: string, status: string, differences: Partial<Template>): Template {
  return { ...template(name, 'MARKETING', [body('Dear {{1}}, our sale has begun.', 'Ada')]), status, ...differences };
}

function body(text: string, example: string): TemplateComponent {
  return { type: 'BODY', text, example: { body_text: [[example]] } };
}

function buttons(...list: TemplateButton[]): TemplateComponent {
  return { type: 'BUTTONS', buttons: list };
}

function urlButton(text: string, url: string): TemplateButton {
  return { type: 'URL', text, url, example: [url.replace('{{1}}', 'example')] };
}

function card(reply: string): { components: TemplateComponent[] } {
  return { components: [IMAGE_HEADER, buttons({ type: 'QUICK_REPLY', text: reply })] };
}

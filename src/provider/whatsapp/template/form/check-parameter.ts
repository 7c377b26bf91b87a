import type { Spot } from './spot.ts';

/** The longest text the provider ever takes: that of a template which is a body only. */
const TEXT_CHARACTERS_MAX = 32_768;
/** The code that a copy-code button copies. */
const COUPON_CODE_CHARACTERS_MAX = 15;
/** No limits of the provider are known for these: generous ones, so that no member can be boundless. */
const PAYLOAD_CHARACTERS_MAX = 4_096;
const LINK_CHARACTERS_MAX = 2_048;
const NAME_CHARACTERS_MAX = 512;

/**
 * Notes what is wrong with one parameter of a component. Kinds are compared without regard to case, because the
 * provider's own examples write some words in capitals; the parameter is passed on as it was written.
 * https://developers.facebook.com/docs/whatsapp/cloud-api/reference/messages
 */
export function checkParameter(parameter: Spot): void {
  if (parameter.object() === undefined) return;
  const name = parameter.at('parameter_name');
  if (!name.missing) name.text({ min: 1, max: NAME_CHARACTERS_MAX });
  const kind = parameter.at('type').text({ min: 1, max: NAME_CHARACTERS_MAX })?.toLowerCase();
  if (kind === undefined) return;
  CHECKS.get(kind)?.(parameter.at(kind));
}

/** How the member named after the parameter's kind has to look. A kind that is not listed is the provider's affair. */
const CHECKS: ReadonlyMap<string, (content: Spot) => void> = new Map([
  ['text', (text: Spot): void => void text.text({ max: TEXT_CHARACTERS_MAX })],
  ['payload', (payload: Spot): void => void payload.text({ max: PAYLOAD_CHARACTERS_MAX })],
  ['coupon_code', (code: Spot): void => void code.text({ min: 1, max: COUPON_CODE_CHARACTERS_MAX })],
  ['currency', checkCurrency],
  ['date_time', checkDateTime],
  ['image', checkMedia],
  ['video', checkMedia],
  ['document', checkMedia],
  ['location', checkLocation],
  ['action', checkAction],
  ['limited_time_offer', checkLimitedTimeOffer],
  ['product', checkProduct],
]);

/** Whether a parameter's kind, in lower case, is one of those that can be checked. The provider may have others by now. */
export function isKnownKind(kind: string): boolean {
  return CHECKS.has(kind);
}

function checkCurrency(currency: Spot): void {
  if (currency.object() === undefined) return;
  currency.at('fallback_value').text({ min: 1, max: NAME_CHARACTERS_MAX });
  const code = currency.at('code');
  if (typeof code.value !== 'string' || !/^[A-Za-z]{3}$/.test(code.value)) {
    code.fault('Must be a currency of three letters, such as "USD".');
  }
  const amount = currency.at('amount_1000');
  if (!Number.isSafeInteger(amount.value)) amount.fault('Must be a whole number: the amount times 1000.');
}

/** The provider always shows the fallback and computes nothing from the other members. */
function checkDateTime(dateTime: Spot): void {
  dateTime.object()?.at('fallback_value').text({ min: 1, max: NAME_CHARACTERS_MAX });
}

function checkMedia(media: Spot): void {
  if (media.object() === undefined) return;
  const id = media.at('id');
  const link = media.at('link');
  if (id.missing === link.missing) media.fault('Must have exactly one of "id" and "link".');
  if (!id.missing) id.text({ min: 1, max: NAME_CHARACTERS_MAX });
  if (!link.missing) checkLink(link);
  const filename = media.at('filename');
  if (!filename.missing) filename.text({ max: NAME_CHARACTERS_MAX });
}

function checkLink(link: Spot): void {
  const text = link.text({ max: LINK_CHARACTERS_MAX });
  if (text !== undefined && !(/^https?:\/\//i.test(text) && URL.canParse(text))) {
    link.fault('Must be an address that begins with "https://" or "http://".');
  }
}

function checkLocation(location: Spot): void {
  if (location.object() === undefined) return;
  checkDegrees(location.at('latitude'), 90);
  checkDegrees(location.at('longitude'), 180);
  for (const name of ['name', 'address']) {
    const text = location.at(name);
    if (!text.missing) text.text({ max: NAME_CHARACTERS_MAX });
  }
}

/** Numbers and texts both occur in the provider's examples. */
function checkDegrees(degrees: Spot, max: number): void {
  const { value } = degrees;
  const number = typeof value === 'string' && /^[+-]?\d{1,3}(\.\d{1,20})?$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Math.abs(number) <= max) return;
  degrees.fault(`Must be a number from -${max} to ${max}.`);
}

function checkAction(action: Spot): void {
  if (action.object() === undefined) return;
  for (const name of ['flow_token', 'thumbnail_product_retailer_id']) {
    const text = action.at(name);
    if (!text.missing) text.text({ max: PAYLOAD_CHARACTERS_MAX });
  }
}

function checkLimitedTimeOffer(offer: Spot): void {
  const expiration = offer.object()?.at('expiration_time_ms');
  if (expiration === undefined) return;
  const isPositive = Number.isSafeInteger(expiration.value) && Number(expiration.value) > 0;
  if (!isPositive) expiration.fault('Must be a positive whole number: milliseconds since 1970.');
}

function checkProduct(product: Spot): void {
  if (product.object() === undefined) return;
  for (const name of ['product_retailer_id', 'catalog_id']) {
    const id = product.at(name);
    if (!id.missing) id.text({ min: 1, max: NAME_CHARACTERS_MAX });
  }
}

/** What a person may send beside a text, as far as is known: the content stands in the member of the type's name. */
export const INBOUND_TYPES: readonly string[] = [
  'audio',
  'button',
  'contacts',
  'document',
  'edit',
  'image',
  'interactive',
  'location',
  'order',
  'reaction',
  'request_welcome',
  'revoke',
  'sticker',
  'system',
  'unsupported',
  'video',
];

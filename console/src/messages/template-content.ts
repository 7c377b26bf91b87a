import { isObject } from '../api/decode.ts';
import type { Message } from '../api/message.ts';

/** What was sent of a template: which one it was, and what it was filled with. */
export interface TemplateContent {
  name: string;
  language: string;
  /** In the provider's shapes, as they were given to the API. */
  components: unknown;
}

/** undefined if the message was not made from a template, or if its content has a form that this console does not know. */
export function templateContentOf({ type, direction, content }: Message): TemplateContent | undefined {
  if (type !== 'template' || direction !== 'outbound' || !isObject(content)) return undefined;
  const { name, language, components } = content;
  return typeof name === 'string' && typeof language === 'string' ? { name, language, components } : undefined;
}

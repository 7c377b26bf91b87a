import { isRecord } from '../kernel/is-record.ts';
import { type ContentType, contentTypeOf } from './message.ts';

/** Where content stands that cannot stand in a member of its type's name. */
const FALLBACK = 'content';
/** The members that every message has. A type that the provider invents must not stand in for one of them. */
const MEMBERS = new Set(
  `id request_id account_id channel_id direction from to user_id profile type reply_to status message_id client_reference
   held error pricing created_at updated_at timeline content_expired`.split(/\s+/),
);
/** Whether inbound content has the form that is described for what we send of the same type. The provider sends no templates. */
const FITS: Readonly<Record<ContentType, (content: unknown) => boolean>> = {
  text: (content) => content === null || isText(content),
  template: () => false,
};
/** Where the profile is stored: in the content, so that it goes wherever that goes, and is gone when that is. */
const STORED_PROFILE = 'sender_profile';

/** The content of an inbound message as it is stored, with the profile of its sender. A list, as of contact cards, holds none. */
export function storedInbound(content: unknown, profile: Record<string, unknown> | undefined): unknown {
  return profile !== undefined && isRecord(content) ? { [STORED_PROFILE]: profile, ...content } : (content ?? null);
}

/**
 * What an inbound message tells of its stored content: the profile of its sender, and the content as the provider sent it. That stands in
 * the member named after its type, unless that is another member, or one that is described in a form which the content does not have. So
 * whatever the provider sends, callers read what the API description says.
 */
export function inboundMembers(type: string, stored: unknown): Record<string, unknown> {
  if (!isRecord(stored)) return { profile: null, [memberOf(type, stored)]: stored };
  const { [STORED_PROFILE]: profile, ...content } = stored;
  return { profile: isRecord(profile) ? profile : null, [memberOf(type, content)]: content };
}

/** The same inbound message without its content, wherever that stands, and without its sender's profile. */
export function emptiedInbound(message: Record<string, unknown>): Record<string, unknown> {
  const names = [String(message.type), FALLBACK].filter((name) => !MEMBERS.has(name));
  const emptied = [...names, 'profile'].filter((name) => Object.hasOwn(message, name));
  return { ...message, ...Object.fromEntries(emptied.map((name) => [name, null])) };
}

function memberOf(type: string, content: unknown): string {
  if (MEMBERS.has(type)) return FALLBACK;
  const sent = contentTypeOf(type);
  return sent === undefined || FITS[sent](content) ? type : FALLBACK;
}

/** Whether each described member that is there has the form described. */
function isText(content: unknown): boolean {
  if (!isRecord(content)) return false;
  const { body = '', preview_url: preview = false, group_id: groupId = '', errors = [] } = content;
  const { forwarded = false, frequently_forwarded: often = false } = content;
  const { referral = {}, referred_product: product = {}, identity = {} } = content;
  return (
    [body, groupId].every((text) => typeof text === 'string') &&
    [preview, forwarded, often].every((flag) => typeof flag === 'boolean') &&
    [referral, product, identity].every(isRecord) &&
    Array.isArray(errors)
  );
}

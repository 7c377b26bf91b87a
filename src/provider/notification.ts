import type { MessageError } from '../kernel/message-errors.ts';

/**
 * What the provider told us in one post, in our words. One post may carry many items of several business accounts;
 * each stands for itself, so that one that cannot be read takes no other with it.
 */
export type DecodedNotification = { kind: 'not_json' } | { kind: 'items'; items: NotificationItem[] };

export type NotificationItem =
  | StatusItem
  | InboundItem
  | OverheardItem
  | MessageErrorItem
  | ConversationItem
  | UserPreferenceItem
  | UserIdUpdateItem
  | TemplateStatusItem
  | TemplateQualityItem
  | TemplateCategoryItem
  | TemplateComponentsItem
  | PhoneNumberItem
  | AccountUpdateItem
  | BusinessCapabilityItem
  | BusinessUsernameItem
  | FlowItem
  | SecurityItem
  | OtherItem
  | UndecodableItem;

/**
 * Where an item goes: to the channel of `phoneNumberId`; without it to the channel with `displayPhoneNumber` within
 * the business account; without both to every account that has a channel in the business account.
 */
export interface ItemOrigin {
  /** By what operators know it, such as `messages.status.delivered`. It holds nothing that identifies a person. */
  label: string;
  businessAccountId: string | undefined;
  phoneNumberId: string | undefined;
  /** In E.164 form. */
  displayPhoneNumber: string | undefined;
}

/** A person as far as the provider lets us know: it may hide the number, and older notifications have no user id. */
export interface Person {
  /** In E.164 form. */
  phone: string | undefined;
  userId: string | undefined;
  /** The id that spans the businesses of one enterprise. */
  parentUserId: string | undefined;
}

export interface Pricing {
  billable: boolean | undefined;
  model: string | undefined;
  type: string | undefined;
  category: string | undefined;
}

/** What became of a message that we sent. */
export interface StatusItem extends ItemOrigin {
  kind: 'status';
  phoneNumberId: string;
  providerMessageId: string;
  /** `sent`, `delivered`, `read`, `failed`, or a word that we do not know, as it came. */
  status: string;
  at: Date | undefined;
  /** What our transmit put into the opaque member. */
  callbackData: string | undefined;
  recipient: Person;
  groupId: string | undefined;
  /** Never empty when the status is `failed`. */
  errors: MessageError[];
  pricing: Pricing | undefined;
}

/** A message from a person to one of our numbers. */
export interface InboundItem extends ItemOrigin {
  kind: 'inbound';
  phoneNumberId: string;
  providerMessageId: string;
  type: string;
  from: Person;
  at: Date | undefined;
  /** The provider's id of the message that this one answers. */
  replyToProviderMessageId: string | undefined;
  groupId: string | undefined;
  /**
   * The member named after the type, as the provider sent it, with what it tells of the message beside it (`errors`, `group_id`,
   * `referral` and the like) if there is any; of a type without such a member the whole message.
   */
  content: unknown;
  /** What the person is called in WhatsApp, as the provider sent it: a `name`, and a `username` if there is one. */
  profile: Record<string, unknown> | undefined;
}

/** A message from a person to one of our numbers that another sender on the number answers: a sign of life, and no message of ours. */
export type OverheardItem = Omit<InboundItem, 'kind'> & { kind: 'overheard' };

/** The provider could not hand us something in full. It does not say which message that was, if it was one. */
interface MessageErrorItem extends ItemOrigin {
  kind: 'message_error';
  errors: MessageError[];
}

/** What happens on a number beside our own messages: calls, what was sent from the owner's phone, and old talk. */
export interface ConversationItem extends ItemOrigin {
  kind: 'call' | 'echo' | 'history';
  providerId: string | undefined;
  /** The person who called us, or accepted a call of ours; undefined for every other news of a call, and for what is no call. */
  talker: Person | undefined;
  at: Date | undefined;
  content: unknown;
}

/** A person stopped or resumed a category of messages. */
export interface UserPreferenceItem extends ItemOrigin {
  kind: 'user_preference';
  person: Person;
  /** Such as `marketing_messages`. */
  category: string | undefined;
  /** `stop`, `resume`, or another word in lower case. */
  value: string;
  at: Date | undefined;
}

/** A person's user id became another, because the person took a new number. */
export interface UserIdUpdateItem extends ItemOrigin {
  kind: 'user_id_update';
  phone: string | undefined;
  previousUserId: string | undefined;
  userId: string;
  previousParentUserId: string | undefined;
  parentUserId: string | undefined;
  at: Date | undefined;
}

/** Words are in lower case, and the language is written as in a send (`en_US`). */
export interface TemplateOrigin extends ItemOrigin {
  /** The provider's id with all its digits. */
  templateId: string | undefined;
  name: string;
  language: string | undefined;
  at: Date | undefined;
}

export interface TemplateStatusItem extends TemplateOrigin {
  kind: 'template_status';
  /** Such as `approved`, `rejected`, `paused`, `reinstated`. */
  event: string;
  category: string | undefined;
  reason: string | undefined;
  /** What the provider adds in a sentence. */
  explanation: string | undefined;
}

export interface TemplateQualityItem extends TemplateOrigin {
  kind: 'template_quality';
  quality: string;
  previousQuality: string | undefined;
}

export interface TemplateCategoryItem extends TemplateOrigin {
  kind: 'template_category';
  /** Undefined while the change is only announced. */
  category: string | undefined;
  previousCategory: string | undefined;
  /** The category that the provider will move the template to. */
  announcedCategory: string | undefined;
}

export interface TemplateComponentsItem extends TemplateOrigin {
  kind: 'template_components';
  content: unknown;
}

/** A number's throughput, limit or verified name changed; the provider names it by its display number only. */
export interface PhoneNumberItem extends ItemOrigin {
  kind: 'phone_number';
  change: 'quality' | 'name';
  /** Such as `throughput_upgrade`; for a name the decision, such as `approved`. */
  event: string;
  messagingLimit: string | undefined;
  previousMessagingLimit: string | undefined;
  name: string | undefined;
  reason: string | undefined;
  at: Date | undefined;
}

export interface AccountUpdateItem extends ItemOrigin {
  kind: 'account_update';
  event: string;
  /** The number that it is about, in E.164 form; undefined if it is about the whole business account. */
  phone: string | undefined;
  restrictions: { type: string; until: Date | undefined }[];
  /** `date` is the provider's own writing, such as `April 17, 2026`. */
  ban: { state: string; date: string | undefined } | undefined;
  violation: string | undefined;
  /** The business account that it is about, where the notification is addressed to another, such as a partner's. */
  subjectBusinessAccountId: string | undefined;
  at: Date | undefined;
  content: unknown;
}

export interface BusinessCapabilityItem extends ItemOrigin {
  kind: 'business_capability';
  /** `tier_250`, `tier_2k`, ..., `tier_unlimited`. */
  messagingLimit: string | undefined;
  maxPhoneNumbers: number | undefined;
  at: Date | undefined;
}

export interface BusinessUsernameItem extends ItemOrigin {
  kind: 'business_username';
  phone: string | undefined;
  username: string | undefined;
  status: string;
}

export interface FlowItem extends ItemOrigin {
  kind: 'flow';
  event: string | undefined;
  content: unknown;
}

export interface SecurityItem extends ItemOrigin {
  kind: 'security';
  event: string | undefined;
  phone: string | undefined;
  content: unknown;
}

/** A kind that we do not know or do not use, kept as it came. */
export interface OtherItem extends ItemOrigin {
  kind: 'other';
  field: string;
  content: unknown;
}

export interface UndecodableItem extends ItemOrigin {
  kind: 'undecodable';
  reason: UndecodableReason;
  /** A JSON Pointer into the raw body. */
  pointer: string;
}

/** Why an item could not be read: never with anything of its content. */
export type UndecodableReason =
  | 'not_an_object'
  | 'no_entries'
  | 'no_changes'
  | 'no_field'
  | 'no_phone_number_id'
  | 'no_message_id'
  | 'no_status'
  | 'no_value'
  | 'no_user_id'
  | 'no_person'
  | 'no_template_name'
  | 'no_event'
  | 'no_display_phone_number'
  | 'too_many_items';

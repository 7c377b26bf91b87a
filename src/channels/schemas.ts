import { Type } from 'typebox';
import { EXAMPLE } from '../http/examples.ts';
import { accountId, answer, count, flag, idOf, orNull, ref, text, time, word } from '../http/schema-words.ts';

const MEMBERS = {
  id: idOf('chn', 'The id of the channel. A send may give it as `from`.'),
  mode: word('Whether it belongs to the real provider or to the sandbox.', ['live', 'test']),
  phone_number: text('Its phone number in E.164 form. A send may give it as `from` too.'),
  name: orNull(text('The name that people see, as the provider has verified it.')),
  default: flag('Whether a send without `from` goes out from it.'),
  status: word(
    'Only a `connected` one sends. The provider refuses the token of a `suspended` one; a `removed` one is disconnected for good.',
    ['connected', 'suspended', 'removed'],
  ),
  quality: orNull(text('How people take its messages, as the provider rates it.')),
  throughput_per_second: count('How many messages a second the provider takes from it.'),
  messaging_limit: orNull(
    text("How many people it may write to first within 24 hours, in the provider's words, such as `tier_1k`."),
  ),
  updated_at: time('When something in it last changed, such as its quality.'),
};
const CHANNEL_EXAMPLE = {
  id: EXAMPLE.channelId,
  mode: 'live',
  phone_number: EXAMPLE.channelPhone,
  name: 'The shop',
  default: true,
  status: 'connected',
  quality: 'green',
  throughput_per_second: 80,
  messaging_limit: 'tier_1k',
  updated_at: EXAMPLE.at,
};
const RESTRICTION_EXAMPLE = {
  event: 'account_restriction',
  restrictions: [{ type: 'restricted_biz_initiated_messaging', until: EXAMPLE.later }],
  ban: null,
  violation: null,
};

/** Shared schemas of channels. */
export const channelSchemas = {
  Channel: answer('A phone number of the account.', MEMBERS, CHANNEL_EXAMPLE),
  ChannelInEvent: answer(
    'A channel, and what the provider has just reported about limiting it.',
    { ...MEMBERS, restriction: Type.Optional(ref('Restriction')) },
    CHANNEL_EXAMPLE,
  ),
  PlatformChannel: answer(
    "A channel as the platform sees it, with the provider's ids. The access token never comes back out.",
    {
      ...MEMBERS,
      account_id: accountId(),
      phone_number_id: text("The provider's id of the phone number."),
      business_account_id: text("The provider's id of the business account."),
      created_at: time('When it was connected.'),
    },
    {
      ...CHANNEL_EXAMPLE,
      account_id: EXAMPLE.accountId,
      phone_number_id: '<PHONE_NUMBER_ID>',
      business_account_id: '<BUSINESS_ACCOUNT_ID>',
      created_at: EXAMPLE.at,
    },
  ),
  Restriction: answer(
    'Why the provider limits a business account, or that it stopped, in its own words in lower case.',
    {
      event: text('What happened, such as `account_restriction`.'),
      restrictions: Type.Array(ref('RestrictionItem'), { description: 'What is not allowed now.' }),
      ban: orNull(
        answer('The ban that the event tells of; null if there is none.', {
          state: text('Such as `schedule_for_disable`, `disable` or `reinstate`.'),
          date: orNull(text('The date of the ban, as the provider writes it.')),
        }),
      ),
      violation: orNull(text('What kind of rule was violated, such as `adult`; null: none is named.')),
    },
    RESTRICTION_EXAMPLE,
  ),
  RestrictionItem: answer(
    'One thing that is not allowed now.',
    {
      type: text('What is not allowed, such as `restricted_biz_initiated_messaging`.'),
      until: orNull(text('An RFC 3339 time until which it is not allowed; null: the provider names none.')),
    },
    RESTRICTION_EXAMPLE.restrictions[0],
  ),
};

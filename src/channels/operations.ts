import { EXAMPLE } from '../http/examples.ts';
import type { Operation } from '../http/operation.ts';
import { listOf, ref } from '../http/schema-words.ts';
import { LOCATION } from '../http/shared-headers.ts';

const account = { id: `The id of the account, such as \`${EXAMPLE.accountId}\`.` };
const channel = { id: `The id of the channel, such as \`${EXAMPLE.channelId}\`.` };

/** How the API description tells of channels. */
export const channelOperations = {
  connect: {
    id: 'connectChannel',
    tag: 'Platform: channels',
    description:
      'Connects a phone number. The provider is asked first about the number and the token, and to post its notifications to us. A phone number id belongs to one channel on the whole platform.',
    params: account,
    answers: {
      201: { description: 'The channel.', schema: ref('PlatformChannel'), headers: { Location: LOCATION } },
    },
    errors: ['channel_refused', 'channel_taken'],
  },
  listOfAccount: {
    id: 'listAccountChannels',
    tag: 'Platform: channels',
    description: 'Lists the channels of an account in both modes, removed ones too.',
    params: account,
    answers: { 200: { description: 'A page of channels.', schema: listOf('PlatformChannel') } },
  },
  change: {
    id: 'changeChannel',
    tag: 'Platform: channels',
    description:
      'Changes what is named. A new access token is checked with the provider first; one that works makes a suspended channel connected again.',
    params: channel,
    answers: { 200: { description: 'The channel as it is now.', schema: ref('PlatformChannel') } },
    errors: ['channel_refused'],
  },
  remove: {
    id: 'removeChannel',
    tag: 'Platform: channels',
    description: 'Removes a channel: it no longer sends or receives, and its token is erased. Its messages stay.',
    params: channel,
    answers: { 204: { description: 'It is removed.' } },
  },
  list: {
    id: 'listChannels',
    tag: 'Channels',
    description: "Lists the account's channels of the key's mode.",
    answers: { 200: { description: 'A page of channels.', schema: listOf('Channel') } },
  },
} as const satisfies Record<string, Operation>;

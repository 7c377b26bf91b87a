/** What an endpoint can be told of. */
export const EVENT_TYPES = [
  ...['message.accepted', 'message.sent', 'message.delivered', 'message.read', 'message.failed', 'message.unknown'],
  ...['message.received', 'template.updated', 'channel.updated', 'account.updated', 'endpoint.disabled'],
];

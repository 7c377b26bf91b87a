/** The types of events that an endpoint can get. */
export const EVENT_TYPES = [
  ...['message.accepted', 'message.sent', 'message.delivered', 'message.read', 'message.failed', 'message.unknown'],
  ...['message.received', 'template.updated', 'channel.updated', 'account.updated', 'endpoint.disabled'],
];

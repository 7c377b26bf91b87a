/** The types of events that an endpoint can get. */
export const EVENT_TYPES = [
  ...['message.accepted', 'message.sent', 'message.delivered', 'message.read', 'message.failed', 'message.unknown'],
  ...['message.received', 'template.updated', 'channel.updated', 'account.updated', 'endpoint.disabled'],
];

/** Those that a form offers: also what the endpoint has already. A newer gateway may know more types, and a change must not take them away unseen. */
export function typesOffered(chosen: readonly string[] | null): string[] {
  return [...new Set([...EVENT_TYPES, ...(chosen ?? [])])];
}

/** What a key may be allowed. */
export const SCOPES = [
  ...['messages:send', 'messages:read', 'events:read', 'endpoints:manage', 'templates:read', 'channels:read'],
];

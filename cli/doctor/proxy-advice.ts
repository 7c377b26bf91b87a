/** Where something is reached that does not answer as the gateway behind it would. */
export const PROXY_ADVICE =
  'Does the proxy before the gateway pass method, path, query, headers and body on as they are?';

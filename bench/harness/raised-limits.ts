/** Settings with which the service is measured and not its limits. The provider is a stand-in. */
export const RAISED_LIMITS = {
  WAYPOST_SANDBOX: 'off',
  WAYPOST_LOG_LEVEL: 'warn',
  WAYPOST_RATE_REQUESTS: '1000000',
  WAYPOST_RATE_RECIPIENTS: '10000000',
};

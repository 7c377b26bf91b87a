/** Settings for sends whose messages must have their outcomes, however slow the machine is: the longest that there are. */
export const PATIENT = { WAYPOST_SEND_DEADLINE_MS: '120000', WAYPOST_PROVIDER_TIMEOUT_MS: '120000' };

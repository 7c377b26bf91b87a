/** From the quickest commit to the deadline of a send. */
export const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];
/** For what may also wait in a queue: up to the last try of a delivery within a day. */
export const LONG_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800, 7_200, 86_400];
/** What shares one commit. */
export const ITEMS = [1, 2, 5, 10, 20, 50, 100, 200, 500];

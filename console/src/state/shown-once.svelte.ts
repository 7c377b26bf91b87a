import { session } from './session.svelte.ts';

/** A secret that the gateway has told and never tells again, and what a person must know of it. */
export interface ShownOnce {
  title: string;
  /** What it is, as in `Copy the secret`. */
  what: string;
  secret: string;
  text: string;
}

/**
 * What is shown once. It belongs to no page, because somebody may leave the page: by the way back, or while the answer with the secret is
 * under way. It stays until it is said to be in a safe place, or the session ends.
 */
export const shownOnce = createShownOnce();

function createShownOnce() {
  let all = $state.raw<ShownOnce[]>([]);
  return {
    get all() {
      return all;
    },
    /** Call it before the answer is awaited: the secret is shown to nobody who has signed in since. */
    prepare(): (secret: ShownOnce) => void {
      const { who } = session;
      return (secret) => {
        if (session.who === who) all = [...all, secret];
      };
    },
    close(secret: ShownOnce): void {
      all = all.filter((one) => one !== secret);
    },
    clear(): void {
      all = [];
    },
  };
}

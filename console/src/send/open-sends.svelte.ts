import type { Draft } from './draft.ts';
import { createSending } from './sending.svelte.ts';

/** A send from its first letter to its answer, with the key that makes it safe to repeat. */
export interface OpenSend {
  /** Written to as somebody types. */
  draft: Draft & { values: Record<string, string> };
  sending: ReturnType<typeof createSending>;
}

/**
 * The sends that have no answer yet, each under the template that its address names. Whoever leaves the page and comes back finds
 * the same draft and the same key, also of a send that is under way: written anew, it would have another key, and be sent twice.
 * They stand in the memory of the page alone, because people's numbers and texts do not belong into a browser's stores.
 */
export const openSends = createOpenSends();

function createOpenSends() {
  const byTemplate = new Map<string, OpenSend>();
  return {
    /** The one that was left here, or a new one. `templateId`: the template to begin with; empty: none. */
    at(templateId: string): OpenSend {
      const left = byTemplate.get(templateId);
      if (left !== undefined) return left;
      const draft = $state<OpenSend['draft']>({
        ...{ to: '', from: '', reference: '', body: '', linkPreview: false, templateId, values: {} },
        type: templateId === '' ? 'text' : 'template',
      });
      const begun = { draft, sending: createSending() };
      byTemplate.set(templateId, begun);
      return begun;
    },
    /** Its page is left. One whose answer was shown there is over. */
    leave(templateId: string): void {
      if (byTemplate.get(templateId)?.sending.answer !== undefined) byTemplate.delete(templateId);
    },
    clear: () => byTemplate.clear(),
  };
}

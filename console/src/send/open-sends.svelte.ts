import type { Draft } from './draft.ts';
import { createSending } from './sending.svelte.ts';

/** A send from its first letter to its answer, with the key that makes it safe to repeat. */
export interface OpenSend {
  /** Changed as somebody types. */
  draft: Draft & { values: Record<string, string> };
  sending: ReturnType<typeof createSending>;
}

/**
 * The sends that have no answer yet, by the template that their address names. Somebody who leaves the page and comes back finds the same
 * draft and the same key, even if the send is under way: a new draft would have another key, and would be sent a second time. They are kept
 * in the memory of the page only, because people's numbers and texts do not belong in a browser's stores.
 */
export const openSends = createOpenSends();

function createOpenSends() {
  const byTemplate = new Map<string, OpenSend>();
  return {
    /** The send that was left here, or a new one. `templateId`: the template to begin with; empty for none. */
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
    /** Call it when the page is left. A send whose answer was shown there is forgotten. */
    leave(templateId: string): void {
      if (byTemplate.get(templateId)?.sending.answer !== undefined) byTemplate.delete(templateId);
    },
    clear: () => byTemplate.clear(),
  };
}

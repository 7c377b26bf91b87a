import { DEMO_TEMPLATES } from './demo-templates.ts';
import { digitsOf } from './made-up.ts';
import type { Template } from './template.ts';

/** How many business accounts may have templates of their own. Further ones are refused. */
const OVERRIDES_MAX = 10_000;

/** The templates of every business account: those of the demonstration, unless a test has given it others. */
export class Registry {
  readonly #overrides = new Map<string, readonly Template[]>();

  /** In the order of the provider's listing. */
  templatesOf(businessAccountId: string): readonly Template[] {
    return this.#overrides.get(businessAccountId) ?? DEMO_TEMPLATES;
  }

  find(businessAccountId: string, name: string, language: string): Template | undefined {
    return this.templatesOf(businessAccountId).find(
      (template) => template.name === name && template.language === language,
    );
  }

  /** Gives a business account these templates instead. Returns false if too many business accounts have their own. */
  replace(businessAccountId: string, templates: readonly Template[]): boolean {
    if (this.#overrides.size >= OVERRIDES_MAX && !this.#overrides.has(businessAccountId)) return false;
    this.#overrides.set(businessAccountId, templates);
    return true;
  }
}

/** The id of a template: the same at each reading, and another one in each business account. */
export function templateId(businessAccountId: string, { name, language }: Template): string {
  return digitsOf(`${businessAccountId} ${name} ${language}`, 16);
}

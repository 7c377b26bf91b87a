import type {
  TemplateCategoryItem,
  TemplateComponentsItem,
  TemplateOrigin,
  TemplateQualityItem,
  TemplateStatusItem,
  UndecodableReason,
} from '../../notification.ts';
import { type Change, originOf } from './change.ts';
import { idAt, type JsonObject, keptJson, objectAt, textAt, wordAt } from './values.ts';

/**
 * Reads that a template was approved, rejected, paused and so on.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/message_template_status_update
 */
export function decodeTemplateStatus(value: JsonObject, change: Change): TemplateStatusItem | UndecodableReason {
  const template = readTemplate(value, change);
  if (template === undefined) return 'no_template_name';
  const event = wordAt(value, 'event');
  if (event === undefined) return 'no_event';
  const reason = wordAt(value, 'reason');
  const rejection = objectAt(value, 'rejection_info');
  return {
    ...template,
    kind: 'template_status',
    event,
    category: wordAt(value, 'message_template_category'),
    // The provider writes the word NONE for no reason, and null where a deletion is scheduled.
    reason: reason === 'none' ? wordAt(objectAt(value, 'other_info'), 'title') : reason,
    explanation:
      textAt(rejection, 'recommendation') ??
      textAt(rejection, 'reason') ??
      textAt(objectAt(value, 'other_info'), 'description'),
  };
}

export function decodeTemplateQuality(value: JsonObject, change: Change): TemplateQualityItem | UndecodableReason {
  const template = readTemplate(value, change);
  if (template === undefined) return 'no_template_name';
  const quality = wordAt(value, 'new_quality_score');
  if (quality === undefined) return 'no_value';
  return { ...template, kind: 'template_quality', quality, previousQuality: wordAt(value, 'previous_quality_score') };
}

/** A change is announced a day ahead in `correct_category`, and then done in `new_category`. */
export function decodeTemplateCategory(value: JsonObject, change: Change): TemplateCategoryItem | UndecodableReason {
  const template = readTemplate(value, change);
  if (template === undefined) return 'no_template_name';
  const announcedCategory = wordAt(value, 'correct_category');
  return {
    ...template,
    kind: 'template_category',
    category: announcedCategory === undefined ? wordAt(value, 'new_category') : undefined,
    previousCategory: wordAt(value, 'previous_category'),
    announcedCategory,
  };
}

export function decodeTemplateComponents(
  value: JsonObject,
  change: Change,
): TemplateComponentsItem | UndecodableReason {
  const template = readTemplate(value, change);
  if (template === undefined) return 'no_template_name';
  return { ...template, kind: 'template_components', content: keptJson(value) };
}

function readTemplate(value: JsonObject, change: Change): TemplateOrigin | undefined {
  const name = idAt(value, 'message_template_name');
  if (name === undefined) return undefined;
  return {
    ...originOf(change),
    templateId: idAt(value, 'message_template_id'),
    name,
    // The provider's own example says en-US here, while templates are sent as en_US.
    language: textAt(value, 'message_template_language')?.replaceAll('-', '_'),
    at: change.at,
  };
}

import type { Notice } from '../behaviour.ts';
import type { Line } from '../directory.ts';
import { errorCode } from '../error-codes.ts';
import type { Message } from '../message.ts';
import type { Person } from '../person.ts';
import { envelope } from './envelope.ts';

const ERRORS_PAGE = 'https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes';

type StatusNotice = Exclude<Notice, { kind: 'reply' }>;

/**
 * A `messages` notification with one status, as the provider writes it.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/status
 */
export function statusNotification(line: Line, message: Message, notice: StatusNotice): unknown {
  const failed = notice.kind === 'failed';
  return envelope(line, {
    ...(failed ? {} : { contacts: [contactOf(message.person)] }),
    statuses: [
      {
        id: message.id,
        status: notice.kind,
        timestamp: String(Math.floor(Date.now() / 1000)),
        ...recipientOf(message.person, failed),
        ...(message.callbackData === undefined ? {} : { biz_opaque_callback_data: message.callbackData }),
        ...(failed ? { errors: [errorOf(notice.code)] } : {}),
        ...(!failed && notice.priced ? { pricing: pricingOf(message) } : {}),
      },
    ],
  });
}

/** The form in which a person stands beside statuses and inbound messages. A hidden number is left out, not empty. */
export function contactOf(person: Person): unknown {
  const { waId, userId, name } = person;
  return { profile: { name }, ...(waId === undefined ? {} : { wa_id: waId }), user_id: userId };
}

/** If a message that was sent to a number fails, the notification does not have the user id. */
function recipientOf({ waId, userId }: Person, failed: boolean): object {
  return {
    ...(waId === undefined ? {} : { recipient_id: waId }),
    ...(failed && waId !== undefined ? {} : { recipient_user_id: userId }),
  };
}

function errorOf(code: number): unknown {
  const { title, details } = errorCode(code);
  return { code, title, message: title, error_data: { details }, href: ERRORS_PAGE };
}

function pricingOf(message: Message): unknown {
  return { billable: true, pricing_model: 'PMP', type: 'regular', category: message.category };
}

import type { Step, Taking } from './behaviour.ts';
import type { Context } from './context.ts';
import { newMessageId } from './made-up.ts';
import type { Message } from './message.ts';
import { inboundNotification } from './notify/inbound-notification.ts';
import type { Posted } from './notify/notifier.ts';
import { postOf } from './notify/post-of.ts';
import { statusNotification } from './notify/status-notification.ts';
import { withoutPhone } from './person.ts';
import type { Schedule } from './schedule.ts';

/** How long a send waits until its own status is acknowledged. After that it is answered all the same. */
const ACKNOWLEDGED_WAIT_MS = 5_000;

/**
 * Posts what follows a message. Each notice is posted after the one before it was tried. The provider promises no order, but with one the
 * tests of a gateway are repeatable, so it is kept unless the number asks for another one. A reset calls off the notices that are left.
 */
export async function follow(
  context: Context,
  message: Message,
  { taking, course }: { taking: Taking; course: Schedule },
): Promise<void> {
  for (const step of context.postsStatuses ? taking.steps : []) {
    await course.wait(step.waitMs);
    for (let copy = 0; copy < taking.copies && !course.isOver; copy += 1)
      await post(context, message, { step, taking }).tried;
  }
}

/** Posts what comes before the answer. Waits for a while until it is acknowledged. */
export async function followAcknowledged(context: Context, message: Message, taking: Taking): Promise<void> {
  for (const step of context.postsStatuses ? taking.before : []) {
    const { acknowledged } = post(context, message, { step, taking });
    await Promise.race([acknowledged, context.answers.wait(ACKNOWLEDGED_WAIT_MS)]);
  }
}

function post(context: Context, message: Message, { step, taking }: { step: Step; taking: Taking }): Posted {
  const { notice } = step;
  const line = context.directory.line(message.phoneNumberId);
  const person = taking.hidesPhone ? withoutPhone(message.person) : message.person;
  if (notice.kind === 'reply') {
    const reply = { id: newMessageId(person.waId ?? person.userId), content: { text: notice.text } };
    return postOf(context, line, inboundNotification(line, person, reply));
  }
  return postOf(context, line, statusNotification(line, { ...message, person }, notice));
}

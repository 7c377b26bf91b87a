import { E164 } from '../kernel/phone-number.ts';
import type { Queryable } from '../store/database.ts';
import { saidSince } from './said-since-store.ts';
import { type Reached, type Stretch, walk } from './stretch.ts';

/** Where content names a message: one that was reacted to, or that was taken back or changed. */
export const REFERENCES = ['message_id', 'original_message_id'];
const REFERRING_TYPES = "('reaction', 'revoke', 'edit')";

/** SQL expressions for the members of the message that is looked at. `answered`: the provider's id of the message that it answers. */
interface Told {
  type: string;
  answered: string;
  content: string;
}

/**
 * Whether a message that is not the person's own tells of the person. Either it names one of the person's messages by the provider's
 * id, out of which the number can be read, or it is the news of a changed number. The named messages are looked up one by one
 * (`offset 0` keeps it so), and must not be emptied yet. $5: see `patternsOf`.
 */
export const tellsOfPerson = ({ type, answered, content }: Told) => `(
        ${type} = 'system' and ${content}::text ~ any($5::text[])
        or exists (
          select from unnest(array[${answered}] || case when ${type} in ${REFERRING_TYPES}
            then array[${content}->>'message_id', ${content}->>'original_message_id'] end) as named(id)
          cross join lateral (
            select phone, user_id from message where account_id = $1 and provider_message_id = named.id offset 0) as theirs
          where theirs.phone = any($4) or theirs.user_id = any($4)))`;

/**
 * Regular expressions that find a text with one of the person's names, and not with a longer one. What may not stand beside a name is listed:
 * the database's own bounds of words depend on its locale, and nearly everywhere an ideograph or a Cyrillic letter beside a number would
 * belong to the same word. The text is JSON, where a line break is written as a letter behind a backslash. So before a user id, which
 * begins with a capital letter, small ones may stand.
 */
export function patternsOf(persons: readonly string[]): string[] {
  return persons.map((person) =>
    E164.test(person) ? `(?<![0-9])${person.slice(1)}(?![0-9])` : `(?<![A-Z0-9])${literally(person)}(?![A-Za-z0-9])`,
  );
}

/** The user id as it stands in JSON. It is the provider's, and may have characters that mean something in an expression. */
function literally(userId: string): string {
  return JSON.stringify(userId)
    .slice(1, -1)
    .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

const TOLD_IN_ROW = tellsOfPerson({ type: 'type', answered: 'reply_to_provider_message_id', content: 'content' });

const REFERENCE_EMPTY = `
  with batch as (
    select id, type, reply_to_provider_message_id, content, direction, phone, user_id, outcome_at, received_at from message
    where account_id = $1 and id < $2 order by id desc limit $3
  ), emptied as (
    update message m set reply_to_provider_message_id = null, content = case
      when m.type = 'system' then null
      when jsonb_typeof(m.content) = 'object' then m.content - '{${REFERENCES.join(',')}}'::text[]
      else m.content end
    where m.account_id = $1 and m.id = any(array(
      select id from batch where ${TOLD_IN_ROW} and ${saidSince('$4', '$6')} is not true))
  )
  select id as reached from batch order by id limit 1`;

/**
 * Empties what messages of others tell of the person. It comes before `emptyMessages`, after which no message is the person's any more,
 * but for those that stay.
 */
export function emptyReferences(tx: Queryable, stretch: Stretch): Promise<Reached> {
  return walk(tx, REFERENCE_EMPTY, stretch, patternsOf(stretch.persons), stretch.askedAt);
}

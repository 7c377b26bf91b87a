import type { Queryable } from '../store/database.ts';
import { type Reached, type Stretch, walk } from './stretch.ts';

/** Where content names a message: one that was reacted to, or that was taken back or changed. */
export const REFERENCES = ['message_id', 'original_message_id'];
const REFERRING_TYPES = "('reaction', 'revoke', 'edit')";

/** SQL for what is looked at. `answered` is the provider's id of the message that this one answers. */
interface Told {
  type: string;
  answered: string;
  content: string;
}

/**
 * Whether a message tells of the person without being theirs. It names one of their messages by the provider's id, out of which the
 * number can be read; or it is news of a changed number. Messages are looked up one by one (`offset 0` keeps it so), and only while
 * they are not emptied. $5: see `patternsOf`.
 */
export const tellsOfPerson = ({ type, answered, content }: Told) => `(
        ${type} = 'system' and ${content}::text ~ any($5::text[])
        or exists (
          select from unnest(array[${answered}] || case when ${type} in ${REFERRING_TYPES}
            then array[${content}->>'message_id', ${content}->>'original_message_id'] end) as named(id)
          cross join lateral (
            select phone, user_id from message where account_id = $1 and provider_message_id = named.id offset 0) as theirs
          where theirs.phone = any($4) or theirs.user_id = any($4)))`;

/** By which a text that has one of the person's names is found. */
export function patternsOf(persons: readonly string[]): string[] {
  return persons.map((person) => `\\m${person.replace(/^\+/, '').replaceAll('.', '\\.')}\\M`);
}

const TOLD_IN_ROW = tellsOfPerson({ type: 'type', answered: 'reply_to_provider_message_id', content: 'content' });

const REFERENCE_EMPTY = `
  with batch as (
    select id, type, reply_to_provider_message_id, content from message
    where account_id = $1 and id < $2 order by id desc limit $3
  ), emptied as (
    update message m set reply_to_provider_message_id = null, content = case
      when m.type = 'system' then null
      when jsonb_typeof(m.content) = 'object' then m.content - '{${REFERENCES.join(',')}}'::text[]
      else m.content end
    where m.account_id = $1 and m.id = any(array(select id from batch where ${TOLD_IN_ROW}))
  )
  select id as reached from batch order by id limit 1`;

/** Empties what messages of others tell of the person. Before the person's own are emptied, because these tell whose they are. */
export function emptyReferences(tx: Queryable, stretch: Stretch): Promise<Reached> {
  return walk(tx, REFERENCE_EMPTY, stretch, patternsOf(stretch.persons));
}

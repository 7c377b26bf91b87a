import { isoText } from './expressions.ts';
import type { Schedule } from './schedule.ts';

/** A table that is parted by week, and the rows of one of its weeks. */
export interface Filling {
  parent: 'request' | 'message' | 'timeline' | 'event' | 'notification';
  /** The column by which it is parted. */
  key: string;
  /** From when on rows are complete. Older ones have lost their content, or do not exist any more. It is `$5` of the statement. */
  keptFromMs(schedule: Schedule): number;
  /** The statement that makes rows: those of the blocks from `$1` to before `$2` whose time is from `$3` to before `$4`. */
  insertInto(partition: string): string;
}

const MESSAGE_ID = '(b.head || k.mid || b.tail)::uuid';
const REPORT_ID = "(lpad(to_hex(b.ms + s.delay_ms), 12, '0') || s.mid || b.tail)::uuid";
/** As long as the provider's ids, and like those in no order. */
const providerId = (of: 'k' | 's') => `'wamid.HBgL' || upper(md5((b.b * 32 + ${of}.k)::text)) || 'AFYCABEYEjEA'`;
/** There are a million people, so many of them have a history. */
const phone = (of: 'k' | 's') => `'+1555' || lpad(((b.b * 20 + ${of}.k) * 7919 % 1000000)::text, 7, '0')`;
/** A message that is alone in its request has a reference, as messages about orders do. */
const reference = (of: 'k' | 's') => `case when ${of}.r < 10 then 'order-' || b.b * 20 + ${of}.k end`;
/** For each block, in order, the rows of a small table. So the rows are written in the order of their time, as in real life. */
const eachOf = (table: string, of: string, where = 'true') =>
  `fill.block b cross join lateral (select * from fill.${table} where ${where} and b.b >= 0 offset 0) ${of}`;
const MADE = 'b.b >= $1::bigint and b.b < $2::bigint and b.at >= $3 and b.at < $4';
const REPORTED = `b.b >= $1::bigint and b.b < $2::bigint and t.at >= $3 and t.at < $4`;

const requests: Filling = {
  parent: 'request',
  key: 'id',
  keptFromMs: ({ contentFromMs }) => contentFromMs,
  insertInto: (partition) => `
    insert into ${partition} (account_id, id, mode, channel_id, key_id, node_id, type, client_reference, content,
      message_ids, idempotency_key, completed_at)
    select account_id, (head || r.mid || tail)::uuid, mode, channel_id, key_id, key_id, 'text',
      case when r.r < 10 then 'order-' || b.b * 20 + r.r end,
      case when b.at >= $5 then
        '{"body": "Your parcel is here. It waits for you at the usual place.", "preview_url": false}'::jsonb end,
      array(select (b.head || mid || b.tail)::uuid from unnest(r.message_mids) as mid),
      case when r.r < 5 then 'order-' || b.b * 20 + r.r end, b.at + interval '200 milliseconds'
    from ${eachOf('request', 'r')} where ${MADE}`,
};

const messages: Filling = {
  parent: 'message',
  key: 'id',
  keptFromMs: ({ contentFromMs }) => contentFromMs,
  insertInto: (partition) => `
    insert into ${partition} (account_id, id, request_id, channel_id, mode, direction, type, phone, status,
      provider_message_id, client_reference, content, error, pricing, outcome, outcome_at, outcome_error, updated_at,
      to_delivery_ms)
    select account_id, ${MESSAGE_ID}, (b.head || k.r_mid || b.tail)::uuid, channel_id, mode,
      case when k.r is null then 'inbound' else 'outbound' end::direction, 'text', ${phone('k')}, k.status::message_status,
      case when k.outcome <> 'failed' then ${providerId('k')} end, ${reference('k')},
      case when k.r is null and b.at >= $5 then '{"body": "Thank you!"}'::jsonb end, k.error, k.pricing,
      k.outcome::message_status, b.at + interval '200 milliseconds', case when k.outcome = 'failed' then k.error end,
      b.at + interval '200 milliseconds' + k.updated, k.to_delivery_ms
    from ${eachOf('kind', 'k')} where ${MADE}`,
};

const timelines: Filling = {
  parent: 'timeline',
  key: 'message_id',
  keptFromMs: ({ startMs }) => startMs,
  insertInto: (partition) => `
    insert into ${partition} (account_id, message_id, id, status, at, received_at, error)
    select account_id, (b.head || s.message_mid || b.tail)::uuid, ${REPORT_ID}, s.status,
      date_trunc('second', t.at), t.at, s.error
    from ${eachOf('report', 's', 'r is not null')}
    cross join lateral (select to_timestamp((b.ms + s.delay_ms) / 1000.0) as at) t
    where ${MADE} and b.at >= $5`,
};

/** A message as events show it. An inbound one has its content. */
const MESSAGE_SHOWN = `
  ('{"message": {"id": "msg_' || b.head_text || s.message_mid_text || b.tail_text || '", "request_id": ' ||
    coalesce('"req_' || b.head_text || s.r_mid_text || b.tail_text || '"', 'null') ||
    ', "account_id": "' || b.account_id || '", "channel_id": "' || b.channel_text || '", ' ||
    case when s.r is null then '"direction": "inbound", "from": "' || ${phone('s')} || '", "to": "' || b.phone_number
      else '"direction": "outbound", "from": "' || b.phone_number || '", "to": "' || ${phone('s')} end ||
    '", "user_id": null, "type": "text", "reply_to": null, "status": "' || s.status || '", "message_id": "' ||
    ${providerId('s')} || '", "client_reference": ' || coalesce('"' || ${reference('s')} || '"', 'null') ||
    ', "held": false, "error": ' || coalesce(s.error::text, 'null') || ', "pricing": null, "created_at": "' || b.at_text ||
    '", "updated_at": "' || ${isoText('t.at')} || '"' ||
    case when s.r is null then ', "text": {"body": "Thank you!"}' else '' end || '}}')::jsonb`;

const events: Filling = {
  parent: 'event',
  key: 'id',
  keptFromMs: ({ eventsFromMs }) => eventsFromMs,
  insertInto: (partition) => `
    insert into ${partition} (account_id, id, mode, sequence, type, data, at)
    select account_id, ${REPORT_ID}, mode, b.last + s.e + 1, 'message.' || s.status, ${MESSAGE_SHOWN}, t.at
    from ${eachOf('report', 's')}
    cross join lateral (select to_timestamp((b.ms + s.delay_ms) / 1000.0) as at) t
    where ${REPORTED} and b.at >= $5`,
};

const notifications: Filling = {
  parent: 'notification',
  key: 'id',
  keptFromMs: ({ notificationsFromMs }) => notificationsFromMs,
  insertInto: (partition) => `
    insert into ${partition} (id, origin, body, state, kinds, attempts, next_at, applied_at)
    select ${REPORT_ID}, mode, convert_to('{"object":"whatsapp_business_account","entry":[{"id":"' || b.business_account_id ||
      '","changes":[{"field":"messages","value":{"messaging_product":"whatsapp","metadata":{"display_phone_number":"' ||
      b.phone_number || '","phone_number_id":"' || b.phone_number_id || '"},"statuses":[{"id":"' || ${providerId('s')} ||
      '","status":"' || s.status || '","timestamp":"' || (b.ms + s.delay_ms) / 1000 || '","recipient_id":"' ||
      ${phone('s')} || '","biz_opaque_callback_data":"msg_' || b.head_text || s.message_mid_text || b.tail_text ||
      '","pricing":{"billable":true,"pricing_model":"PMP","category":"utility"}}]}}]}]}', 'UTF8'),
      'applied', array[case when s.r is null then 'message.text' else 'status.' || s.status end], 1, t.at, t.at + interval '50 milliseconds'
    from ${eachOf('report', 's')}
    cross join lateral (select to_timestamp((b.ms + s.delay_ms) / 1000.0) as at) t
    where ${REPORTED} and b.at >= $5`,
};

export const FILLINGS: readonly Filling[] = [events, messages, timelines, requests, notifications];

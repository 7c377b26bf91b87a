import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authorize } from './authorize.ts';
import type { Context } from './context.ts';
import type { Line } from './directory.ts';
import { pickFields } from './fields.ts';
import { queryText, VERSION } from './request.ts';

const DEFAULT_FIELDS = [
  'verified_name',
  'code_verification_status',
  'display_phone_number',
  'quality_rating',
  'platform_type',
  'throughput',
  'id',
];

/**
 * `GET /{version}/{phone_number_id}` and `GET /{version}/{business_account_id}/phone_numbers`. An id alone does not show what it names, so
 * the first route answers every id as a phone number.
 * https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account-to-number-current-status
 */
export function phoneNumberRoutes(app: FastifyInstance, { directory }: Context): void {
  app.get<{ Params: { id: string } }>(`${VERSION}/:id`, async (request) => {
    authorize(request);
    return phoneNumber(directory.line(request.params.id), request);
  });

  app.get<{ Params: { id: string } }>(`${VERSION}/:id/phone_numbers`, async (request) => {
    authorize(request);
    const lines = directory.linesOf(request.params.id);
    return {
      data: lines.map((line) => phoneNumber(line, request)),
      paging: { cursors: { before: 'MAZDZD', after: 'MAZDZD' } },
    };
  });
}

function phoneNumber({ phoneNumberId, displayPhoneNumber }: Line, request: FastifyRequest): unknown {
  const node = {
    id: phoneNumberId,
    display_phone_number: `+${displayPhoneNumber}`,
    verified_name: 'Sandbox Business',
    quality_rating: 'GREEN',
    quality_score: { score: 'GREEN' },
    throughput: { level: 'STANDARD' },
    code_verification_status: 'VERIFIED',
    status: 'CONNECTED',
    name_status: 'APPROVED',
    new_name_status: 'NONE',
    platform_type: 'CLOUD_API',
    is_on_biz_app: false,
    account_mode: 'SANDBOX',
    country_code: 'US',
    is_official_business_account: false,
    is_pin_enabled: false,
    health_status: { can_send_message: 'AVAILABLE', entities: [] },
    search_visibility: 'VISIBLE',
    last_onboarded_time: '2026-01-01T00:00:00+0000',
    webhook_configuration: {},
    whatsapp_business_manager_messaging_limit: 'TIER_100K',
    messaging_limit_tier: 'TIER_100K',
  };
  return pickFields(node, {
    asked: queryText(request, 'fields'),
    defaults: DEFAULT_FIELDS,
    nodeType: 'WhatsAppBusinessPhoneNumber',
  });
}

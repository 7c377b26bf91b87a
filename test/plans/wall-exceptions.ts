import type { Wall } from './walls.ts';

/** The functions of stores that read across the wall, each with the table, by their reason. */
type Exceptions = Record<string, readonly string[]>;

const WITHOUT_ACCOUNT: Exceptions = {
  'The door: it finds the account by the hash of its key.': ['src/accounts/key-store.ts findKeysByHash: api_key'],
  'The platform names a key or a channel by its id alone.': [
    'src/accounts/key-store.ts retireKeyRow: api_key',
    'src/accounts/key-store.ts revokeKeyRow: api_key',
    'src/channels/store.ts findChannel: channel',
  ],
  'It finds the accounts that a notification is for.': [
    'src/channels/store.ts listChannelsByNumberId: channel',
    'src/channels/store.ts listChannelsOfBusinesses: channel',
  ],
  'Time in which no gateway ran is counted against no endpoint, whose ever it is.': [
    'src/endpoints/deliver/time-off-store.ts noteDelivering: endpoint',
  ],
  "The platform's view of all accounts.": [
    'src/accounts/audit-store.ts listAuditRows: audit',
    'src/platform-state/store.ts countWaitingDeliveries: delivery',
    'src/platform-state/store.ts readRunningState: request',
    'src/platform-state/store.ts readStatisticsState: message_statistics_due',
    'src/queues/store.ts readDeliveryQueues: delivery',
    'src/queues/store.ts readRequestQueue: request',
    'src/queues/store.ts readSuspendedChannels: channel',
  ],
  'It takes what is due, whose ever it is.': [
    'src/channels/facts-store.ts claimForFacts: channel',
    'src/channels/facts-store.ts hastenFacts: channel',
    'src/endpoints/deliver/claim-store.ts claimDeliveries: delivery',
    'src/endpoints/deliver/delivery-store.ts hastenDeliveries: delivery',
    'src/endpoints/deliver/delivery-store.ts tidyDeliveries: delivery',
    'src/endpoints/deliver/gone-store.ts releaseOfNode: delivery',
    'src/erasure/person-store.ts claimErasures: erasure',
    'src/erasure/person-store.ts hastenErasures: erasure',
    'src/statistics/due-store.ts claimDue: message_statistics_due',
    'src/statistics/due-store.ts collectMarks: message_statistics_mark',
    'src/templates/sync-store.ts claimDueSyncs: template_sync',
    'src/templates/sync-store.ts forgetGoneSyncs: template_sync',
    'src/templates/sync-store.ts hastenSyncs: template_sync',
    'src/templates/sync-store.ts noteNewSyncs: channel',
    'src/templates/sync-store.ts noteNewSyncs: template_sync',
  ],
  'What is past its time goes, whose ever it was.': [
    'src/keeping/event-log-store.ts findExpiredEvents: event_sequence',
    'src/keeping/expire-store.ts deleteStrays: attempt',
    'src/keeping/expire-store.ts deleteStrays: event',
    'src/keeping/expire-store.ts deleteStrays: message',
    'src/keeping/expire-store.ts deleteStrays: request',
    'src/keeping/expire-store.ts deleteStrays: timeline',
    'src/keeping/expire-store.ts deleteWindows: customer_window',
    'src/keeping/expire-store.ts emptyContent: message',
    'src/keeping/expire-store.ts emptyContent: request',
    'src/keeping/expire-store.ts emptyStrays: message',
    'src/keeping/expire-store.ts emptyStrays: request',
    'src/keeping/expire-store.ts expireDeliveries: endpoint',
    'src/keeping/partition-store.ts holdsEvents: event_sequence',
    'src/keeping/partition-store.ts isAnyRunning: request',
    'src/messages/commit/idempotency-store.ts expireIdempotency: idempotency',
    'src/messages/report/inbound-store.ts expireInboundIds: inbound_id',
  ],
  'What a node has begun, or has left.': [
    'src/messages/commit/recover-store.ts listRunning: request',
    'src/messages/commit/recover-store.ts listWorkingNodes: request',
    'src/messages/commit/withdraw-store.ts listBegun: request',
  ],
};

/** Functions that keep to the account. Those that read across all accounts read both modes of them as well. */
const WITHOUT_MODE: Exceptions = {
  'An account is erased with both its modes, and so is a person.': [
    'src/erasure/account-store.ts claimDeletedAccount: request',
    'src/erasure/account-store.ts deleteRows: event',
    'src/erasure/account-store.ts deleteRows: idempotency',
    'src/erasure/account-store.ts deleteRows: message',
    'src/erasure/account-store.ts deleteRows: request',
    'src/erasure/account-store.ts disableEndpoints: endpoint',
    'src/erasure/person-store.ts claimErasures: request',
    'src/erasure/person-store.ts finishErasure: channel',
    'src/erasure/reference-store.ts emptyReferences: message',
    'src/erasure/refused-store.ts emptyRefused: message',
    'src/erasure/refused-store.ts emptyRefused: request',
    'src/erasure/walk-store.ts emptyAttempts: event',
    'src/erasure/walk-store.ts emptyAttempts: message',
    'src/erasure/walk-store.ts emptyMessages: message',
    'src/erasure/walk-store.ts emptyMessages: request',
    'src/erasure/walk-store.ts findEventsOfPerson: event',
    'src/erasure/walk-store.ts findEventsOfPerson: message',
    'src/erasure/walk-store.ts findNames: message',
    'src/erasure/walk-store.ts replaceMessages: event',
    'src/messages/report/inbound-store.ts detachInboundIds: channel',
    'src/people/parent-store.ts forgetParents: parent_user_id',
  ],
  'What the sandbox told is forgotten as late as all else; the ids stand under no account.': [
    'src/messages/report/inbound-store.ts expireErasedInboundIds: erased_inbound_id',
  ],
  "The platform looks after an account's keys and channels of both modes.": [
    'src/accounts/key-store.ts listKeyRows: api_key',
    'src/accounts/key-store.ts noteKeyUses: api_key',
    'src/accounts/key-store.ts revokeAllKeys: api_key',
    'src/channels/facts-store.ts askFactsAgain: channel',
    'src/channels/facts-store.ts noteFacts: channel',
    'src/channels/facts-store.ts noteFactsRead: channel',
    'src/channels/facts-store.ts noteMessagingLimit: channel',
    'src/channels/facts-store.ts readChannels: channel',
    'src/channels/store.ts listChannelRows: channel',
    'src/channels/store.ts listUsableChannels: channel',
    'src/channels/store.ts lockChannels: channel',
    'src/channels/store.ts removeChannels: channel',
    'src/channels/store.ts suspendChannelRow: channel',
    'src/channels/store.ts updateChannel: channel',
  ],
  'It remembers the channels of both modes, and the send picks among those of its own.': [
    'src/channels/store.ts listSendingChannels: channel',
  ],
  'By an id that was found for its mode in the same transaction.': [
    'src/endpoints/store.ts rotateSecret: endpoint',
    'src/endpoints/store.ts updateEndpoint: endpoint',
  ],
  'By the ids of what was read for its mode, to complete it.': [
    'src/messages/read/read-store.ts findChannelNumbers: channel',
  ],
  'By the ids of the requests and messages that a send has made itself.': [
    'src/messages/commit/commit-store.ts commitSends: request',
    'src/messages/commit/under-way-store.ts findSettled: message',
    'src/messages/commit/under-way-store.ts findTransmitting: message',
    'src/messages/commit/under-way-store.ts findTransmitting: request',
    'src/messages/commit/lock-store.ts lockRequests: request',
    'src/messages/commit/turn-store.ts takeTurns: message',
    'src/messages/commit/withdraw-store.ts withdrawRequest: message',
    'src/messages/commit/withdraw-store.ts withdrawRequest: request',
  ],
  'What a gone node has left is settled in both modes.': [
    'src/messages/commit/recover-store.ts endDeleted: request',
    'src/messages/commit/recover-store.ts lockRunning: request',
    'src/messages/commit/recover-store.ts settleRunning: message',
    'src/messages/commit/recover-store.ts settleRunning: request',
  ],
  'Of a channel that the notification is for, which has one mode, or by the ids of messages that were found so.': [
    'src/messages/read/read-store.ts findEventSources: channel',
    'src/messages/read/read-store.ts findEventSources: message',
    'src/messages/read/read-store.ts findEventSources: request',
    'src/messages/report/apply-store.ts changeMessages: message',
    'src/messages/report/apply-store.ts locateMessages: message',
    'src/messages/report/apply-store.ts lockMessages: message',
    'src/messages/report/apply-store.ts unpackMessages: request',
    'src/messages/report/inbound-store.ts insertInbound: message',
  ],
  'Of an endpoint that has something to deliver, which has one mode, as its events have.': [
    'src/endpoints/deliver/claim-store.ts claimDeliveries: endpoint',
    'src/endpoints/deliver/claim-store.ts claimDeliveries: event',
    'src/endpoints/deliver/delivery-store.ts tidyDeliveries: endpoint',
    'src/endpoints/deliver/note-store.ts findEnabled: endpoint',
    'src/endpoints/deliver/note-store.ts findUnchanged: endpoint',
    'src/endpoints/deliver/note-store.ts noteFailure: endpoint',
    'src/endpoints/deliver/note-store.ts noteSuccess: endpoint',
    'src/endpoints/deliver/success-store.ts recordSuccesses: endpoint',
  ],
  'It counts both modes, each by itself.': [
    'src/statistics/count-store.ts countMessages: message',
    'src/statistics/due-store.ts sweepMessages: message',
  ],
  "The platform's view of all accounts, of which each endpoint is looked up.": [
    'src/queues/store.ts readDeliveryQueues: endpoint',
  ],
};

/** The readings that need no wall. */
export const MAY_CROSS: Record<Wall, readonly string[]> = {
  account_id: Object.values(WITHOUT_ACCOUNT).flat(),
  mode: Object.values(WITHOUT_MODE).flat(),
};

import type { Component } from 'svelte';
import ChannelsPage from './channels/Channels.svelte';
import EndpointPage from './endpoints/EndpointPage.svelte';
import EndpointsPage from './endpoints/Endpoints.svelte';
import MessagePage from './messages/MessagePage.svelte';
import MessagesPage from './messages/Messages.svelte';
import AccountPage from './operator/AccountPage.svelte';
import AccountsPage from './operator/Accounts.svelte';
import AuditPage from './operator/Audit.svelte';
import NotificationsPage from './operator/Notifications.svelte';
import StatePage from './operator/State.svelte';
import OverviewPage from './overview/Overview.svelte';
import RequestPage from './requests/RequestPage.svelte';
import RequestsPage from './requests/Requests.svelte';
import SendPage from './send/Send.svelte';
import type { Who } from './state/session.svelte.ts';
import TemplatePage from './templates/TemplatePage.svelte';
import TemplatesPage from './templates/Templates.svelte';

export interface PageEntry {
  /** The first part of the page's address. */
  path: string;
  title: string;
  page: Component;
  /** The page of one thing in the list, by its id. */
  one?: Component<{ id: string }>;
}

const ACCOUNT_PAGES: PageEntry[] = [
  { path: 'overview', title: 'Overview', page: OverviewPage },
  { path: 'messages', title: 'Messages', page: MessagesPage, one: MessagePage },
  { path: 'send', title: 'Send', page: SendPage, one: SendPage },
  { path: 'requests', title: 'Requests', page: RequestsPage, one: RequestPage },
  { path: 'endpoints', title: 'Endpoints', page: EndpointsPage, one: EndpointPage },
  { path: 'templates', title: 'Templates', page: TemplatesPage, one: TemplatePage },
  { path: 'channels', title: 'Channels', page: ChannelsPage },
];

const OPERATOR_PAGES: PageEntry[] = [
  { path: 'accounts', title: 'Accounts', page: AccountsPage, one: AccountPage },
  { path: 'notifications', title: 'Notifications', page: NotificationsPage },
  { path: 'state', title: 'State', page: StatePage },
  { path: 'audit', title: 'Audit log', page: AuditPage },
];

/** The pages for whoever is signed in, in the order of the menu. */
export function pagesOf(who: Who): PageEntry[] {
  return who.kind === 'platform' ? OPERATOR_PAGES : ACCOUNT_PAGES;
}

import { z } from '../../../lib/zod/index.ts';
import { okItem } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { GitHostRepository, presentRepository } from '../repositories/schemas.ts';
import type { Callback } from './callback.ts';
import type { Connect } from './connect.ts';
import type { CallbackOrigin } from './connect-facts.ts';
import type { DeviceSignIns } from './device.ts';
import type { Disconnect } from './disconnect.ts';
import { callbackPath, endedNonceCookie, nonceCookie, nonceOf } from './nonce-cookie.ts';
import type { Overviews } from './overviews.ts';
import { resultPage, resultPagePolicy } from './result-page.ts';
import {
  CallbackQuery,
  ConnectBody,
  ConnectResult,
  DisconnectInput,
  DisconnectResult,
  GitHostAccount,
  LocalStatusAnswer,
  PollAnswer,
  presentAccount,
  presentConnect,
  presentPoll,
  connectionStateSchema,
  StatusAnswer,
} from './schemas.ts';
import { signInMs } from './sign-ins.ts';

type Parts = {
  connect: Connect;
  callback: Callback;
  device: DeviceSignIns;
  disconnect: Disconnect;
  overviews: Overviews;
  hereOf: (origin: string) => CallbackOrigin;
};

export const connectionRoutes = (parts: Parts): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/githost/status',
    permission: 'githost:read',
    summary: 'Status of the git host connection',
    description: 'Returns 200 even when it is not connected or does not respond.',
    output: StatusAnswer,
    async handle({ caller }) {
      const { accounts, ...rest } = await parts.overviews.status(caller);
      return { ...rest, accounts: accounts.map(presentAccount) };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/githost/home',
    permission: 'githost:read',
    summary: 'List connected accounts with their repositories',
    description: 'Returns 200 with empty lists when nothing is connected.',
    output: z.object({
      state: connectionStateSchema,
      accounts: z.array(GitHostAccount),
      repos: z.array(GitHostRepository),
    }),
    async handle({ caller }) {
      const found = await parts.overviews.home(caller);
      return { ...found, accounts: found.accounts.map(presentAccount), repos: found.repos.map(presentRepository) };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/githost/local-status',
    permission: 'githost:read',
    mode: 'self-hosted',
    summary: 'Status of the gh sign-in on this machine',
    output: LocalStatusAnswer,
    handle: () => parts.overviews.local(),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/githost/disconnect',
    permission: 'githost:admin',
    summary: 'Disconnect the git host',
    description:
      '`source` in the body or in the query. Deletes stored credentials and revokes them at the git host where possible. The app stays installed; `all` also forgets its installations until somebody connects again.',
    query: DisconnectInput,
    body: DisconnectInput,
    output: DisconnectResult,
    handle: async ({ caller, body, query }) =>
      okItem(await parts.disconnect.disconnect(caller, body.source ?? query.source ?? 'all')),
  }),
  ...connectRoutes(parts),
];

const connectRoutes = ({ connect, callback, device, hereOf }: Parts): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/githost/connect',
    permission: 'githost:write',
    summary: 'Connect the git host',
    description: '`flow` says what to do next; it depends on the configuration. See docs/operations/github-app.md.',
    body: ConnectBody,
    output: ConnectResult,
    async handle({ caller, body, origin, reply, isSecure }) {
      const answer = await connect.connect(caller, body.source ?? 'any', hereOf(origin));
      if ('nonce' in answer && answer.nonce)
        reply.header('set-cookie', nonceCookie(answer.nonce, signInMs / 1000, isSecure));
      return presentConnect(answer);
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/githost/connect/poll',
    permission: 'githost:read',
    mode: 'self-hosted',
    summary: 'Status of the device login',
    output: PollAnswer,
    handle: async ({ caller }) => presentPoll(await device.poll(caller)),
  }),
  defineRoute({
    method: 'GET',
    path: callbackPath,
    permission: 'public',
    summary: 'Callback of the git host',
    description: 'Shows a page. The browser needs no session: the state parameter is stored and works once.',
    contentType: 'text/html; charset=utf-8',
    query: CallbackQuery,
    output: z.string(),
    async handle({ query, headers, ip, reply, isSecure }) {
      const brought = { ...textsOf(query), nonce: nonceOf(headers.cookie, isSecure), ip };
      const next = await callback.handle(brought);
      reply.header('content-security-policy', resultPagePolicy);
      if ('url' in next) {
        reply.status(303);
        reply.header('location', next.url);
        return '';
      }
      const { nonce } = next;
      const cookie = nonce ? nonceCookie(nonce, signInMs / 1000, isSecure) : endedNonceCookie(isSecure);
      reply.header('set-cookie', cookie);
      reply.status(next.page.status);
      return resultPage(next.page, next.back ?? '/');
    },
  }),
];

function textsOf(query: z.output<typeof CallbackQuery>) {
  const text = (name: keyof typeof query) => (typeof query[name] === 'string' ? query[name] : undefined);
  return { state: text('state'), code: text('code'), error: text('error'), setupAction: text('setup_action') };
}

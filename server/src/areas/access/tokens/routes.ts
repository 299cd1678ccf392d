import { emptyResponse, idParams, listResponse, okItem, okDone, itemResponse } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { CreatedToken, presentToken, Token, TokenBody } from './schemas.ts';
import type { Tokens } from './service.ts';

export const tokenRoutes = (tokens: Tokens): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/tokens',
    permission: 'token:list',
    summary: 'List access tokens',
    description: "Your own; with `token:admin` everybody's in the organization.",
    output: listResponse(Token),
    cached: true,
    handle: async ({ caller }) => okItem((await tokens.list(caller)).map(presentToken)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/tokens',
    permission: 'token:write',
    summary: 'Create an access token',
    description: 'The token is shown only in this response. It never has more permissions than you.',
    status: 201,
    body: TokenBody,
    output: itemResponse(CreatedToken),
    async handle({ caller, body }) {
      const { row, token } = await tokens.create(caller, body);
      return okItem({ ...presentToken(row), token });
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/tokens/:id',
    permission: 'token:write',
    summary: 'Revoke an access token',
    description: "Your own; with `token:admin` anybody's in the organization.",
    params: idParams,
    output: emptyResponse,
    async handle({ caller, params }) {
      await tokens.revoke(caller, params.id);
      return okDone;
    },
  }),
];

import { okItem, itemResponse } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import type { CutOverConfirmation } from './confirm.ts';
import type { CutOverDeps } from './adoption.ts';
import { ConfirmAnswer, ConfirmBody, projectParams, ShownAdoption, UndoAnswer } from './schemas.ts';
import { showAdoption } from './show.ts';
import type { CutOverUndo } from './undo.ts';

type Options = { on: CutOverDeps; undo: CutOverUndo; confirm: CutOverConfirmation };

export const cutOverRoutes = ({ on, undo, confirm }: Options): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/migration/:projectId',
    permission: 'project:read',
    summary: 'Show the adoption of a project',
    description: 'The original containers of its services and whether they run.',
    mode: 'self-hosted',
    params: projectParams,
    output: itemResponse(ShownAdoption),
    handle: async ({ caller, params }) => okItem(await showAdoption(on, caller, params.projectId)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/migration/:projectId/undo',
    permission: 'server:write',
    summary: 'Undo the cut-over of a project',
    description:
      'Stops the containers of the project on the server and starts the original ones unchanged. Safe to repeat. 400 `not_allowed_now` when nothing was replaced, when it was confirmed, or while a deployment is under way. 502 with the reason when the server cannot be reached.',
    mode: 'self-hosted',
    params: projectParams,
    output: UndoAnswer,
    async handle({ caller, params }) {
      const { projectId, ...undone } = await undo.undo(caller, params.projectId);
      return { success: true as const, project_id: projectId, ...undone };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/migration/:projectId/confirm',
    permission: 'server:write',
    summary: 'Confirm the cut-over of a project',
    description:
      'Removes the stopped original containers; their volumes are kept. This cannot be undone. 409 when they have files outside volumes, which would be deleted, unless `force` is set. 400 `not_allowed_now` when nothing was replaced.',
    mode: 'self-hosted',
    params: projectParams,
    body: ConfirmBody,
    output: ConfirmAnswer,
    async handle({ caller, params, body }) {
      const { projectId, ...confirmed } = await confirm.confirm(caller, params.projectId, body);
      return { success: true as const, project_id: projectId, ...confirmed };
    },
  }),
];

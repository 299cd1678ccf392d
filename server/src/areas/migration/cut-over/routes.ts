import { ok, one } from '../../../http/answers.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import type { Confirm } from './confirm.ts';
import type { Deps } from './machine.ts';
import { ConfirmAnswer, projectParams, ShownAdoption, UndoAnswer } from './schemas.ts';
import { showAdoption } from './show.ts';
import type { Undo } from './undo.ts';

type Options = { on: Deps; undo: Undo; confirm: Confirm };

export const cutOverRoutes = ({ on, undo, confirm }: Options): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/migration/:projectId',
    permission: 'project:read',
    summary: 'What a project has taken over',
    description: 'The containers that ran its services before, and whether they run now.',
    mode: 'self-hosted',
    params: projectParams,
    output: one(ShownAdoption),
    handle: async ({ caller, params }) => ok(await showAdoption(on, caller, params.projectId)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/migration/:projectId/undo',
    permission: 'server:write',
    summary: 'Bring back what ran before a project took over',
    description:
      'Ends what runs of the project on the server and starts the containers of before, as they were. May be repeated. 400 `not_allowed_now` when nothing was replaced, when it was confirmed, or while a deployment is under way. 502 with the reason when the server cannot be reached.',
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
    summary: 'Remove what ran before a project took over',
    description:
      'The containers that were stopped are removed, and their volumes stay. There is no way back from it. 400 `not_allowed_now` when nothing was replaced.',
    mode: 'self-hosted',
    params: projectParams,
    output: ConfirmAnswer,
    async handle({ caller, params }) {
      const { projectId, ...confirmed } = await confirm.confirm(caller, params.projectId);
      return { success: true as const, project_id: projectId, ...confirmed };
    },
  }),
];

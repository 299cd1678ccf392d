import { z } from 'zod';
import { type Db, inTransaction } from '../../../db/database.ts';
import { AppError } from '../../../errors.ts';
import { idParams, isoTimeOrNull, ok, one } from '../../../http/answers.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { recordAudit } from '../../access/audit/service.ts';
import type { Parts } from '../parts.ts';
import { Deployment, presentDeployment } from '../schemas.ts';
import type { Restarts } from '../restart.ts';
import type { Deployments } from '../service.ts';

const Container = z.object({
  id: z.string(),
  service: z.string(),
  runtime: z.string(),
  state: z.string(),
  host: z.string(),
  port: z.number(),
  startedAt: z.string().nullable(),
  restarts: z.number(),
  exitCode: z.number().nullable(),
  notices: z.array(z.string()),
});
const UsageOf = {
  cpuPercent: z.number(),
  memoryBytes: z.number(),
  memoryLimitBytes: z.number().nullable(),
  networkRxBytes: z.number(),
  networkTxBytes: z.number(),
};
const nothing = { cpuPercent: 0, memoryBytes: 0, memoryLimitBytes: null, networkRxBytes: 0, networkTxBytes: 0 };

type On = { deployments: Deployments; restarts: Restarts; db: Db; parts: Parts };

export const containerRoutes = ({ deployments, restarts, db, parts: { runtime } }: On): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/deployments/:id/restart',
    permission: 'deployment:write',
    summary: 'Restart what runs',
    params: idParams,
    output: one(Deployment),
    async handle({ caller, params: { id } }) {
      const row = await deployments.get(caller, id, 'write');
      deployments.requireHere(row);
      const instance = await runtime.find(id);
      if (!row.active || (instance?.state !== 'running' && instance?.state !== 'restarting'))
        throw new AppError('not_allowed_now', 'nothing of this deployment runs that could be restarted');
      const notBack = await restarts.restart(row).catch((error: unknown) => {
        // It ended, or lost its supervisor, since we looked.
        throw new AppError('unavailable', 'it cannot be restarted; redeploy to start it anew', { cause: error });
      });
      await inTransaction(db, (trx) =>
        recordAudit(trx, row.organization_id, caller, { action: 'deployment.restarted', target: { id, name: id } }),
      );
      if (notBack)
        throw new AppError('unavailable', `it was restarted and is not back: ${notBack}; its log may say why`);
      return ok(presentDeployment(row));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/deployments/:id/info',
    permission: 'deployment:read',
    summary: 'What runs of a deployment',
    params: idParams,
    output: one(z.object({ containers: z.array(Container) })),
    async handle({ caller, params: { id } }) {
      deployments.requireHere(await deployments.get(caller, id));
      const instance = await runtime.find(id);
      if (!instance || instance.state === 'missing') return ok({ containers: [] });
      const { owner, startedAt, state, host, port, restarts, exitCode, notices } = instance;
      return ok({
        containers: [
          {
            id: instance.id,
            service: owner.service,
            runtime: instance.runtime ?? runtime.kind,
            state,
            host,
            port,
            startedAt: isoTimeOrNull(startedAt),
            restarts,
            exitCode,
            notices,
          },
        ],
      });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/deployments/:id/usage',
    permission: 'deployment:read',
    summary: 'CPU and memory of what runs',
    params: idParams,
    output: one(z.object({ ...UsageOf, containers: z.array(z.object({ service: z.string(), ...UsageOf })) })),
    async handle({ caller, params: { id } }) {
      deployments.requireHere(await deployments.get(caller, id));
      const usage = await runtime.usage(id);
      return ok(usage ? { ...usage, containers: [{ service: 'app', ...usage }] } : { ...nothing, containers: [] });
    },
  }),
];

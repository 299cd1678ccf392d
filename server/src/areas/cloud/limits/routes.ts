import type { ResourceBounds, OrganizationLimits } from '../../../config.ts';
import type { Db } from '../../../db/database.ts';
import { okItem } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { LimitsAnswer } from './schemas.ts';
import { selectUsed } from './store.ts';

export const limitRoutes = (db: Db, limits: OrganizationLimits): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/organizations/current/limits',
    permission: 'organization:read',
    mode: 'cloud',
    summary: 'Limits and usage of the organization in this cloud',
    output: LimitsAnswer,
    async handle({ caller }) {
      const used = await selectUsed(db, caller.organization.id);
      const { container } = limits;
      return okItem({
        projects: { used: used.projects, limit: limits.projects },
        buildsAtOnce: { used: used.builds, limit: limits.buildsAtOnce },
        memoryMb: { used: megabytes(used.memory)!, limit: megabytes(limits.memoryBytes) },
        cpus: { used: used.cpu / 1000, limit: limits.cpus },
        container: { memoryMb: boundsInMegabytes(container.memoryBytes), cpus: container.cpus },
      });
    },
  }),
];

const megabytes = (bytes: number | null) => bytes && Math.round(bytes / 1_048_576);
const boundsInMegabytes = ({ usual, most }: ResourceBounds): ResourceBounds => ({
  usual: megabytes(usual),
  most: megabytes(most),
});

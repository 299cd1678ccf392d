import type { z } from '../../../lib/zod/index.ts';
import type { Sql } from '../../../db/database.ts';
import { AppError } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import type { Deployment } from './schemas.ts';
import type { AccessDeploymentRequest } from './new-deployments.ts';
import type { DeploymentListFilter } from '../model/store.ts';

type Shown = z.input<typeof Deployment>;

/** Operations that this area needs from the hosted cloud's area. */
export interface CloudPort {
  /** Returns the last known state of the cloud's deployments, newest first. Reads only the database. */
  list(organizationId: string, filter: DeploymentListFilter): Promise<Shown[]>;
  /** Deploys to the cloud if the project lives there or is to; undefined if it is deployed here. */
  deploy(caller: Caller, wanted: AccessDeploymentRequest): Promise<Shown | undefined>;
  /** Throws the reason why an upload cannot be deployed there. */
  refuseUpload(sql: Sql, organizationId: string): Promise<never>;
}

export const cloudNotLinked = () =>
  new AppError('cloud_not_linked', 'this instance has no cloud link', {
    message: 'link it with `mooring cloud link`, or POST /api/cloud/link',
  });

/** For an instance without a cloud link, or one that is itself a cloud. */
export const noCloud = (mode: 'self-hosted' | 'cloud'): CloudPort => ({
  list: async () => [],
  async deploy(_caller, { deployTarget }) {
    if (deployTarget === 'cloud' && mode !== 'cloud') throw cloudNotLinked();
    return undefined;
  },
  refuseUpload: () => Promise.reject(cloudNotLinked()),
});

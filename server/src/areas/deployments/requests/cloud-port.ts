import type { z } from 'zod';
import type { Sql } from '../../../db/database.ts';
import { AppError } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import type { Deployment } from './schemas.ts';
import type { FromAccess } from './new-deployments.ts';
import type { ListFilter } from '../model/store.ts';

type Shown = z.input<typeof Deployment>;

/** What this area asks of the one that knows the hosted cloud. */
export interface CloudPort {
  /** Deployments that live there, newest first, as they were seen last. Nobody is asked for it but the database. */
  list(organizationId: string, filter: ListFilter): Promise<Shown[]>;
  /** Deploys there what lives there, or is to; undefined for what is deployed here. */
  deploy(caller: Caller, wanted: FromAccess): Promise<Shown | undefined>;
  /** Throws what stands against an upload there. */
  refuseUpload(sql: Sql, organizationId: string): Promise<never>;
}

export const cloudNotLinked = () =>
  new AppError('cloud_not_linked', 'this instance has no cloud link', {
    message: 'link it with `mooring cloud link`, or POST /api/cloud/link',
  });

/** For an instance that is linked to none, or is one itself. */
export const noCloud = (mode: 'self-hosted' | 'cloud'): CloudPort => ({
  list: async () => [],
  async deploy(_caller, { deployTarget }) {
    if (deployTarget === 'cloud' && mode !== 'cloud') throw cloudNotLinked();
    return undefined;
  },
  refuseUpload: () => Promise.reject(cloudNotLinked()),
});

import { z } from '../../../lib/zod/index.ts';
import type { Sql } from '../../../db/database.ts';
import { storedJson } from '../../../db/stored-json.ts';
import { deleteTask, insertTask, selectTasksOfKind } from './background-store.ts';

/** Stored beside the background tasks. Its owner is a job and not a replica, so no replica runs it. */
const kind = 'service_hold';

const Hold = z.object({
  organizationId: z.string(),
  /** The active deployment of the environment. */
  deploymentId: z.string(),
  jobId: z.string(),
  /** `gate` stops nothing: it makes deployments of the environment wait. */
  how: z.enum(['pause', 'stop', 'gate']),
  /** Containers or processes that ran before, by the deployment that they are of. */
  services: z.array(z.object({ deploymentId: z.string(), service: z.string() })),
  /** Its job has ended, and the engine was away: upkeep resumes the services. */
  isOver: z.boolean().optional(),
  /** A folder that is being replaced, and where its previous content is meanwhile. */
  replacing: z.object({ folder: z.string(), aside: z.string() }).nullish(),
  /** A volume of the engine whose content is incomplete: its services must not start. */
  incomplete: z
    .object({
      volume: z.object({
        name: z.string(),
        origin: z.enum(['project', 'compose', 'image']),
        service: z.string().nullable(),
        path: z.string().nullable(),
        place: z.object({ engineId: z.string() }),
        services: z.array(z.string()),
      }),
      /** The engine may have lost it. */
      definition: z.object({
        id: z.string(),
        driver: z.string().nullable(),
        options: z.record(z.string(), z.string()),
        labels: z.record(z.string(), z.string()),
      }),
    })
    .nullish(),
});
/** Services that a backup or restore has paused or stopped for a moment. */
export type ServiceHold = z.infer<typeof Hold>;
export type StoredHold = ServiceHold & { id: string };

const readHold = storedJson('background_tasks.details', Hold);

export const selectHolds = async (sql: Sql): Promise<StoredHold[]> =>
  (await selectTasksOfKind(sql, kind)).map(({ id, details }) => ({ ...readHold(details), id }));

export const saveHold = (sql: Sql, { id, ...hold }: StoredHold) =>
  insertTask(sql, { id, kind, owner: hold.jobId, details: JSON.stringify(hold), createdAt: Date.now() });

export const deleteHold = (sql: Sql, { id }: StoredHold) => deleteTask(sql, id);

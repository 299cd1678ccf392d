import type { Db } from '../../../db/database.ts';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import type { Log } from '../../../lib/log.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { projectSettingsOf } from '../../projects/port.ts';
import { selectHolds, type StoredHold } from '../model/hold-store.ts';
import type { DeploymentConfig } from '../model/model.ts';
import type { Parts } from '../model/parts.ts';
import { stackOf } from '../model/run-stack.ts';
import { scaleIn, withScale } from '../model/scale.ts';
import { type ServiceState, type Stack, serviceStatesOf } from '../model/stack.ts';
import { selectStacksOn } from '../model/stack-store.ts';
import { configIn } from '../model/stored.ts';
import { type DeploymentRow, isUnderWay, selectDeployment } from '../model/store.ts';
import { currentDeployments } from '../release/in-use.ts';
import type { RoundInstances } from './round-instances.ts';

export type UpkeepDeps = {
  db: Db;
  parts: Parts;
  sealer: Sealer;
  log: Log;
  owner: string;
  around: RoundInstances;
  /** Decides which replicas may get requests; all by default. */
  replicas?: { isReady: (instance: Instance) => boolean };
  /** The deployments as they were when the round began; read for each duty by default. */
  seen?: () => Promise<MachineStacks>;
  /** Holds of the instance; read from the database by default. */
  holds?: () => Promise<StoredHold[]>;
};

/** A deployment at rest: it serves, or waits for a decision. */
export interface RestingStack extends OpenedDeployment {
  /** While a decision is pending, the active release. Failed services run in its version. */
  before: OpenedDeployment | undefined;
}

export type OpenedDeployment = { row: DeploymentRow; config: DeploymentConfig; stack: Stack; states: ServiceState[] };

/** Deployments and holds of one machine, as stored in the database. */
export interface MachineStacks {
  /** Deployments that serve, wait for a decision or are under way. */
  rows: DeploymentRow[];
  holds: StoredHold[];
  /** Without those held by a worker, a backup or a restore. */
  resting: RestingStack[];
}

type ReadDeps = Pick<UpkeepDeps, 'db' | 'parts' | 'sealer' | 'owner' | 'log' | 'holds'>;

/**
 * Returns the stacks of the machine from the beginning of the round, because most rounds find nothing to do. A duty
 * that acts checks first what has changed since.
 */
export const stacksOfRound = (deps: UpkeepDeps): Promise<MachineStacks> => deps.seen?.() ?? readStacks(deps);

/** `opened`: settings and stacks by deployment, from earlier calls. */
export async function readStacks(
  { db, parts, sealer, owner, log, holds: readHolds = () => selectHolds(db) }: ReadDeps,
  opened = new Map<string, OpenedColumns>(),
): Promise<MachineStacks> {
  const rows = await selectStacksOn(db, { owner, server: parts.server });
  const current = [...Map.groupBy(rows, ({ projectId }) => projectId).values()].flatMap((each) =>
    currentDeployments(each),
  );
  const holds = await readHolds();
  const held = new Set(holds.map(({ deploymentId }) => deploymentId));
  const atRest = current.filter(
    (row) => row.leaseOwner === null && !held.has(row.id) && (row.active === 1 || row.status === 'partial_failure'),
  );
  const resting = atRest.flatMap((row): RestingStack[] => {
    try {
      const before = rows.find((each) => each.active === 1 && each.id !== row.id && isBeside(each, row));
      const resting = { ...openOnce(sealer, row, opened), row, states: serviceStatesOf(row) };
      // With organization limits, more replicas need a deployment that reserves the resources.
      const stack = parts.limits ? resting.stack : withScale(resting.stack, scaleIn(projectSettingsOf(row)));
      return [{ ...resting, stack, before: before && openDeployment(sealer, before) }];
    } catch (error) {
      // An unreadable deployment must not block the upkeep of the others.
      log.error(`deployment ${row.id}: ${(error as Error).message}`);
      return [];
    }
  });
  const ids = new Set(rows.map(({ id }) => id));
  for (const id of opened.keys()) if (!ids.has(id)) opened.delete(id);
  return { rows, holds, resting };
}

/** Decrypted settings and stack of a row, and the sealed texts that they were read from. */
export type OpenedColumns = Pick<OpenedDeployment, 'config' | 'stack'> & {
  from: Pick<DeploymentRow, 'config' | 'stack'>;
};

/** Opening the same rows in each round would be most of its work. */
function openOnce(
  sealer: Sealer,
  row: DeploymentRow,
  opened: Map<string, OpenedColumns>,
): Pick<OpenedDeployment, 'config' | 'stack'> {
  const known = opened.get(row.id);
  const isSame = known?.from.config === row.config && known.from.stack === row.stack;
  const { config, stack } = isSame ? known : openDeployment(sealer, row);
  if (!isSame) opened.set(row.id, { config, stack, from: { config: row.config, stack: row.stack } });
  return { config, stack };
}

export function openDeployment(sealer: Sealer, row: DeploymentRow): OpenedDeployment {
  const config = configIn(sealer, row);
  return { row, config, stack: stackOf(sealer, row)!, states: serviceStatesOf(row) };
}

const isBeside = (a: DeploymentRow, b: DeploymentRow): boolean =>
  a.projectId === b.projectId && a.environment === b.environment;

/**
 * Whether nothing changed since the scan: a worker or a restore may have started, or a decision was made, and a start
 * would interfere.
 */
export async function isStillAtRest(db: Db, { id, organizationId, projectId, environment, ...seen }: DeploymentRow) {
  const now = await selectDeployment(db, organizationId, id);
  if (now?.leaseOwner !== null || now.fence !== seen.fence || now.services !== seen.services) return false;
  if (now.active !== seen.active || (await selectHolds(db)).some((hold) => hold.deploymentId === id)) return false;
  return !(await isUnderWay(db, projectId, environment, ['deploying']));
}

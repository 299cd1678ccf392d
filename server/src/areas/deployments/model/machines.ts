import { builtElsewhere } from '../../../drivers/images/built-elsewhere.ts';
import { AppError } from '../../../errors.ts';
import type { DeploymentConfig } from './model.ts';
import type { Parts } from './parts.ts';
import type { DeploymentRow } from './store.ts';

/** Where a deployment is. */
export type MachineRef = Pick<DeploymentRow, 'organizationId' | 'serverId'>;

/** The machines that releases run on: this one, and servers. */
export interface Machines {
  here: Parts;
  /** What is on the machine of a deployment. Nothing is reached by asking for it. */
  of(deployment: MachineRef): Promise<Parts>;
  /** Those of servers that have something of ours to look after. */
  onServers(): Promise<Parts[]>;
}

/** The same; undefined when the server is not known any more, and with it what was there. */
export const partsIfKnown = (machines: Machines, deployment: MachineRef): Promise<Parts | undefined> =>
  machines.of(deployment).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  });

/** For an instance that has no servers. */
export const localMachineOnly = (here: Parts): Machines => ({
  here,
  async of({ serverId }) {
    if (serverId === null) return here;
    throw new Error('there are no servers on this instance');
  },
  onServers: async () => [],
});

/** With the engine that builds, where that is another one than runs it. */
export function withBuilder(parts: Parts, here: Parts, { buildStrategy }: DeploymentConfig): Parts {
  const { containers } = parts;
  if (buildStrategy !== 'local' || parts === here || !containers || !here.containers) return parts;
  return { ...parts, containers: { ...containers, images: builtElsewhere(here.containers.images, containers.images) } };
}

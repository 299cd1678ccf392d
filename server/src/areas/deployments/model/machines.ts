import { builtElsewhere } from '../../../drivers/images/built-elsewhere.ts';
import { AppError } from '../../../errors.ts';
import type { DeploymentConfig } from './model.ts';
import type { Parts } from './parts.ts';
import type { DeploymentRow } from './store.ts';

/** Identifies the machine of a deployment. */
export type MachineRef = Pick<DeploymentRow, 'organizationId' | 'serverId'>;

/** The machines that releases run on: this one and the servers. */
export interface Machines {
  here: Parts;
  /** Returns the parts of a deployment's machine. Connects only to a server that nothing was deployed to yet. */
  of(deployment: MachineRef): Promise<Parts>;
  /** Parts of the servers that hold something of ours. */
  onServers(): Promise<Parts[]>;
}

/** The server of a deployment has become a node of a cluster. */
export class IsNodeError extends AppError {
  constructor(name: string) {
    super('not_found', `the server of this deployment, ${name}, is a node of a cluster now`);
  }
}

/** Like `machines.of`, but returns undefined if the server is no longer known. */
export const partsIfKnown = (machines: Machines, deployment: MachineRef): Promise<Parts | undefined> =>
  ifKnown(machines.of(deployment));

export const ifKnown = (parts: Promise<Parts>): Promise<Parts | undefined> =>
  parts.catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  });

/** For an instance without servers. */
export const localMachineOnly = (here: Parts): Machines => ({
  here,
  async of({ serverId }) {
    if (serverId === null) return here;
    throw new Error('there are no servers on this instance');
  },
  onServers: async () => [],
});

/** Swaps in the local engine for builds if the build strategy asks for it. */
export function withBuilder(parts: Parts, here: Parts, { buildStrategy }: DeploymentConfig): Parts {
  const { containers } = parts;
  if (buildStrategy !== 'local' || parts === here || !containers || !here.containers) return parts;
  return { ...parts, containers: { ...containers, images: builtElsewhere(here.containers.images, containers.images) } };
}

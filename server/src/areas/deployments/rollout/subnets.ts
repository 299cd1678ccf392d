import type { SubnetConflict } from '../../../drivers/runtime/runtime.ts';
import { requireContainers } from '../model/artifact.ts';
import { edgeKey, StepError } from '../model/model.ts';
import type { StepContext } from '../model/step.ts';
import { serviceNetworks } from '../release/service-spec/networks.ts';

/** Fails before anything starts if the addresses of a network are taken. */
export async function requireFreeSubnets({ parts, deployment, stack, log }: StepContext): Promise<void> {
  const { project } = stack.wanted;
  if (!project.networks.some(({ subnet }) => subnet)) return;
  const all = project.services.flatMap((service) => serviceNetworks(project, service));
  const networks = [...new Map(all.map((network) => [network.name, network])).values()];
  const conflicts = await requireContainers(parts).services.subnetConflicts(edgeKey(deployment), networks);
  for (const { network, subnet, holder } of conflicts.filter(({ isOptional }) => isOptional))
    log(
      `The network ${network} does not get the subnet ${subnet}, which ${holder} uses. Docker assigns other addresses; ` +
        'no service has a fixed one there',
      'warn',
    );
  const [first] = conflicts.filter(({ isOptional }) => !isOptional);
  if (first) throw subnetTaken(first);
}

/** Says which subnet is taken and how to get another. */
export function subnetTaken({
  network,
  subnet,
  holder,
  isOwn,
}: Omit<SubnetConflict, 'isOptional' | 'holder'> & { holder?: string }): StepError {
  const choose =
    'Choose another subnet in the compose file. Environments can have their own by a variable: ' +
    `subnet: \${SUBNET:-${subnet}}, and the same for the addresses in it.`;
  return new StepError(
    'subnet_taken',
    `the network ${network} wants the subnet ${subnet}, which ${holder ?? 'another network of the machine'} uses`,
    isOwn
      ? 'A network cannot be changed while containers are on it. Give it another subnet with the change: the old and the ' +
          'new network exist side by side during the deployment.'
      : choose,
  );
}

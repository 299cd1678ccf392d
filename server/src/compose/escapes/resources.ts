import { ipv4Range, isPrivate } from '../../lib/addresses.ts';
import type { SourceLine } from '../problems.ts';
import type { ComposeProject, ComposeVolume } from '../project.ts';
import type { Escape } from './escape.ts';
import { short } from './escape-at.ts';
import { outsideReason } from './mounts.ts';

/** Returns external resources, and drivers with access to the machine. */
export function resourceEscapes({ volumes, networks, configs, secrets }: ComposeProject): Escape[] {
  const of = (field: string, reason: string, { at }: { at: SourceLine }): Escape => ({
    service: null,
    field,
    reason,
    ...at,
  });
  const found: Escape[] = [];
  for (const volume of volumes) {
    // Volumes of the project settings were checked when they were added.
    if (volume.externalName !== null && !volume.isOfProject)
      found.push(
        of('volumes.*.external', `the volume ${short(volume.externalName)} does not belong to this project`, volume),
      );
    if (volume.driver !== null && volume.driver !== 'local')
      found.push(of('volumes.*.driver', `the driver ${short(volume.driver)} is a program of the machine`, volume));
    if (!isMemory(volume))
      found.push(of('volumes.*.driver_opts', `${short(volume.name)} is mounted from another place`, volume));
  }
  for (const network of networks) {
    if (network.externalName !== null)
      found.push(
        of(
          'networks.*.external',
          `the network ${short(network.externalName)} does not belong to this project`,
          network,
        ),
      );
    if (network.driver !== null && !['bridge', 'overlay'].includes(network.driver))
      found.push(
        of('networks.*.driver', `the driver ${short(network.driver)} leads to networks of the machine`, network),
      );
    if (network.subnet && !isHarmlessSubnet(network.subnet.subnet))
      found.push(
        of(
          'networks.*.ipam.config[].subnet',
          `the subnet ${short(network.subnet.subnet)} would hide addresses from the machine; use at most a /16 of 10.0.0.0/8, ` +
            '172.16.0.0/12, 192.168.0.0/16 or 100.64.0.0/10',
          network.subnet,
        ),
      );
  }
  for (const [section, files] of [['configs', configs] as const, ['secrets', secrets] as const])
    for (const { file, at } of files)
      if (file && !file.isInside) found.push(of(`${section}.*.file`, outsideReason(file), { at }));
  return found;
}

/** The machine routes every address of the subnet into the network, where a container may answer. */
function isHarmlessSubnet(subnet: string): boolean {
  const range = ipv4Range(subnet);
  return range !== undefined && range.bits >= 16 && isPrivate(range);
}

/** Whether the options are empty or those of a tmpfs. The mount option `bind` would mount a folder with any type. */
function isMemory({ driverOptions }: ComposeVolume): boolean {
  const { type, device, o, ...others } = driverOptions;
  if (type === undefined && device === undefined && o === undefined) return !Object.keys(others).length;
  const options = (o ?? '').split(',').filter(Boolean);
  const isHarmless = (option: string) =>
    /^((size|nr_inodes|mode|uid|gid)=\w+%?|ro|rw|noexec|nosuid|nodev)$/.test(option);
  return type === 'tmpfs' && device === 'tmpfs' && !Object.keys(others).length && options.every(isHarmless);
}

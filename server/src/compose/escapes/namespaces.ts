import type { ComposeService } from '../service.ts';
import { short, type EscapeAt } from './escape-at.ts';

/** Values of each namespace that stay within the project; empty is always fine. */
const harmless: Record<string, RegExp> = {
  network_mode: /^(none|service:.+)$/s,
  pid: /^service:.+$/s,
  ipc: /^(none|private|shareable|service:.+)$/s,
  userns_mode: /^$/,
  uts: /^$/,
  cgroup: /^private$/,
  cgroup_parent: /^$/,
  runtime: /^runc$/,
};

/** Returns namespaces of the host or of foreign containers, and other references outside the project. */
export function namespaceEscapes(service: ComposeService): EscapeAt[] {
  const { isolation } = service;
  const asked: Record<string, string | null> = {
    network_mode: service.networkMode,
    pid: isolation.pid,
    ipc: isolation.ipc,
    userns_mode: isolation.userns,
    uts: isolation.uts,
    cgroup: isolation.cgroup,
    cgroup_parent: isolation.cgroupParent,
    runtime: isolation.runtime,
  };
  const modes = Object.entries(asked)
    .filter((entry): entry is [string, string] => Boolean(entry[1]) && !harmless[entry[0]]!.test(entry[1]!))
    .map(([field, value]) => ({ field, reason: reasonFor(field, value) }));
  const containers = service.volumesFrom.filter(({ service: name }) => name.startsWith('container:'));
  return [
    ...modes,
    ...containers.map(({ service: name }) => ({
      field: 'volumes_from',
      reason: `${short(name)} does not belong to this project`,
    })),
    ...service.externalLinks.map((link) => ({
      field: 'external_links',
      reason: `${short(link)} does not belong to this project`,
    })),
  ];
}

function reasonFor(field: string, value: string): string {
  if (value === 'host') return 'shares a namespace with the machine';
  if (value.startsWith('container:')) return `${short(value)} does not belong to this project`;
  if (field === 'network_mode') return `the network ${short(value)} does not belong to this project`;
  if (field === 'runtime') return `the runtime ${short(value)} decides how the container is isolated`;
  return `${short(value)} is outside the container`;
}

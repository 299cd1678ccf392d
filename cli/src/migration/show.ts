import type { Schemas } from '@mooring/client';
import { bold, type Column, plainText, table } from '../output.ts';

export type Stack = Schemas['Stack'];
type Service = Schemas['StackService'];
type Port = Service['ports'][number];

const columns: Column<Service>[] = [
  { heading: 'SERVICE', value: ({ name, replicas }) => (replicas > 1 ? `${name} (${replicas})` : name) },
  { heading: 'STATE', value: ({ state, health }) => (health && health !== 'none' ? `${state}, ${health}` : state) },
  { heading: 'IMAGE', value: ({ image }) => image.replace(/^(sha256:[0-9a-f]{12})[0-9a-f]{52}$/, '$1') },
  { heading: 'PORTS', value: ({ ports }) => ports.map(portText).join(', ') || '-' },
  { heading: 'VOLUMES', value: ({ mounts }) => mounts.map(mountText).filter(Boolean).join(', ') || '-' },
  { heading: 'ADOPTABLE', value: verdictText },
];

/** The result of a scan: a table for each group, and the differences of an adoption below. */
export function stackText({ engine, groups, services, warnings, adoptable }: Stack): string {
  const swarm = engine.swarm ? ', in a swarm' : '';
  const parts = groups.map((group) => {
    const members = services.filter((each) => each.group === group.project && isOfSource(each, group));
    const files = group.composeFiles.map(fileText);
    // The table is enough for our own services.
    const told = members.filter(({ managedBy }) => managedBy !== 'mooring');
    const notes = told.flatMap(({ name, needsTrust, warnings: own }) => [
      ...needsTrust.map((reason) => `  ${name} needs --trusted: ${reason}`),
      ...own.map((each) => `  ${name}: ${each}`),
    ]);
    return [
      bold(plainText(titleOf(group))),
      ...files.map(plainText),
      table(members, columns),
      ...notes.map(plainText),
    ].join('\n');
  });
  return [
    plainText(
      `Docker ${engine.version} on ${engine.os}, ${engine.arch}${swarm}: ${services.length} services, ${adoptable} can be adopted.`,
    ),
    ...parts,
    ...(warnings.length ? [[bold('Warnings'), ...warnings.map((each) => plainText(`  ${each}`))].join('\n')] : []),
  ].join('\n\n');
}

type Group = Stack['groups'][number];

/** Ours and others never share a group; without a project, each source is separate. */
const isOfSource = ({ group, managedBy }: Service, { source }: Group): boolean =>
  group === null ? managedBy === source : (managedBy === 'mooring') === (source === 'mooring');

function titleOf({ project, source }: Group): string {
  if (project !== null) return `${project} (${source})`;
  return source === 'hand' ? 'Containers run by hand' : `Containers of ${source}`;
}

const portText = ({ target, protocol, published, hostIp }: Port): string =>
  `${hostIp ? `${hostIp}:` : ''}${published ?? '?'}->${target}/${protocol}`;

const mountText = ({ type, source, target }: Service['mounts'][number]): string =>
  type === 'tmpfs' ? '' : `${/^[0-9a-f]{64}$/.test(source) ? `${source.slice(0, 12)}…` : source}:${target}`;

const fileText = ({ path, found, matches, problem }: Stack['groups'][number]['composeFiles'][number]): string =>
  `  ${path}: ${problem ?? (found ? (matches ? 'matches' : 'differs from the containers') : 'not found')}`;

function verdictText({ adoptable, alreadyManaged, needsTrust }: Service): string {
  if (alreadyManaged) return 'is managed by Mooring';
  if (!adoptable) return 'no';
  return needsTrust.length ? 'by the instance owner' : 'yes';
}

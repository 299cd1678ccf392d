import type { Schemas } from '@mooring/client';
import { type Column, plainText, styled, table } from '../output.ts';

type Plan = Schemas['Plan'];
type Planned = Plan['services'][number];

const changes: Record<Planned['change'], string> = {
  unchanged: 'unchanged',
  create: 'new',
  replace: 'replaced',
  remove: 'removed; volumes are kept',
};
const ways = { start_first: 'without downtime', stop_first: 'previous version stopped first' } as const;

const columns: Column<Planned>[] = [
  { heading: 'SERVICE', value: ({ name }) => name },
  { heading: 'CHANGE', value: ({ change }) => changes[change] },
  { heading: 'HOW', value: ({ strategy }) => (strategy ? ways[strategy] : '') },
  { heading: 'WHY', value: ({ reason }) => reason ?? '' },
];

/** The planned change of each service, data left behind, warnings, and data without a volume. */
export function planText({ services, warnings, volumeWarnings }: Plan): string {
  const risks = services.flatMap(({ dataAtRisk }) => dataAtRisk);
  const red = (text: string) => styled('red', text, process.stdout);
  const yellow = (text: string) => styled('yellow', text, process.stdout);
  return [
    ...(services.length ? [table(services, columns)] : []),
    ...(risks.length ? ['', red('This leaves data behind; the deployment asks first:')] : []),
    ...risks.map((risk) => red(`  ${plainText(risk)}`)),
    ...(warnings.length ? ['', yellow('Warnings:')] : []),
    ...warnings.map((warning) => yellow(`  ${plainText(warning)}`)),
    ...(volumeWarnings.length ? [''] : []),
    ...volumeWarnings.map((warning) => yellow(plainText(warning))),
  ].join('\n');
}

type Detection = Schemas['Detection'];
export type NewProject = { name: string; slug: string; url: string };

/** The plan of the first deployment, which creates everything. */
export function firstPlan({ slug }: NewProject, detection: Detection): Plan {
  const { compose, services, startCommand, outputDirectory, dockerfile, volumes, warnings } = detection;
  const isApp = !compose && (startCommand ?? outputDirectory ?? dockerfile) !== null;
  const names = isApp ? ['app'] : services.map(({ name }) => name);
  return {
    services: names.map((name) => ({ name, change: 'create', strategy: null, reason: null, dataAtRisk: [] })),
    warnings: [],
    volumeWarnings: [
      ...warnings.map(({ message }) => message),
      ...volumes.map(
        ({ name, path, reason }) =>
          `${reason}. Files written there are lost with the next deployment. Add a volume after the first deployment: ` +
          `mooring volume add ${slug} ${name} ${path}`,
      ),
    ],
  };
}

export const newProjectText = ({ name, url }: NewProject): string =>
  `The project ${plainText(name)} does not exist yet: mooring deploy creates it, at ${plainText(url)}`;

/** What was found in the source of a project without a release. */
export function detectionText(detection: Detection): string {
  const { compose, installCommand, buildCommand, releaseCommand, startCommand, outputDirectory } = detection;
  const commands = [
    ['Install with', installCommand],
    ['Build with', buildCommand],
    ['Before each release', releaseCommand],
    ['Start with', startCommand],
    ['Serve the files in', startCommand === null ? outputDirectory : null],
  ] as const;
  return [
    'Detected:',
    ...detection.reasons.map((reason) => `  ${plainText(reason)}`),
    ...commands.flatMap(([what, command]) => (compose || command === null ? [] : `  ${what}: ${plainText(command)}`)),
  ].join('\n');
}

import type { Schemas } from '@mooring/client';
import { type Column, plain, styled, table } from '../output.ts';

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

/** The planned change of each service, data left behind, and unsupported settings. */
export function planText({ services, warnings }: Plan): string {
  const risks = services.flatMap(({ dataAtRisk }) => dataAtRisk);
  const red = (text: string) => styled('red', text, process.stdout);
  const yellow = (text: string) => styled('yellow', text, process.stdout);
  return [
    table(services, columns),
    ...(risks.length ? ['', red('This leaves data behind; the deployment asks first:')] : []),
    ...risks.map((risk) => red(`  ${plain(risk)}`)),
    ...(warnings.length ? ['', yellow('Ignored:')] : []),
    ...warnings.map((warning) => yellow(`  ${plain(warning)}`)),
  ].join('\n');
}

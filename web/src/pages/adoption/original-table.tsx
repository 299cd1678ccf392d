import type { Adoption, Plan } from '../../server-queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { changeReason } from '../deployments/change-reason.ts';

type Row = Adoption['services'][number];
type Original = Row['originals'][number];
type Planned = Plan['services'][number];

const changes: Record<Planned['change'], string> = {
  unchanged: 'Unchanged',
  create: 'Created',
  replace: 'Replaced',
  remove: 'Removed; its volumes are kept',
};
const ways = {
  start_first: 'without downtime: it is stopped once its replacement is ready',
  stop_first: 'with downtime: it is stopped first, and unavailable until its replacement is ready',
} as const;

/** The original containers of each service and their state; with a plan, what the next cut-over does. */
export function OriginalTable({ services, plan }: { services: Row[]; plan: Plan | undefined }) {
  const columns: Column<Row>[] = [
    { title: 'Service', place: 'lead', cell: (row) => <Named row={row} /> },
    { title: 'Original container', cell: ({ originals }) => <Standings originals={originals} /> },
    ...(plan ? [{ title: 'Plan', cell: planCell(plan) }] : []),
  ];
  return <Table label="Original containers" rows={services} keyOf={({ name }) => name} columns={columns} />;
}

const Named = ({ row: { name, originals } }: { row: Row }) => (
  <span className="block [overflow-wrap:anywhere]">
    <span className="block font-medium">{name}</span>
    <span className="block text-sm text-muted">
      {originals.length === 1 ? 'Container ' : 'Containers '}
      {originals.map((each) => each.name).join(', ')}
    </span>
  </span>
);

function Standings({ originals }: { originals: Original[] }) {
  const texts = [...new Set(originals.map(standingOf))];
  return (
    <span className="flex flex-wrap justify-end gap-1.5 md:justify-start">
      {texts.map((text) => (
        <Badge key={text} kind={kinds[text]}>
          {text}
        </Badge>
      ))}
    </span>
  );
}

const kinds: Record<string, Parameters<typeof Badge>[0]['kind']> = {
  Running: 'good',
  'Not running': 'warn',
  'Kept, but running': 'warn',
};

/** `running` is null when the server could not be reached. */
function standingOf({ standing, running }: Original): string {
  if (standing === 'removed') return 'Removed';
  if (standing === 'stopped') return running ? 'Kept, but running' : 'Stopped and kept';
  if (running === null) return 'Server unreachable';
  return running ? 'Running' : 'Not running';
}

const planCell = ({ services }: Plan) =>
  function PlanOf({ name }: Row) {
    const planned = services.find((each) => each.name === name);
    if (!planned) return <span className="text-sm text-muted">Nothing</span>;
    const { change, strategy, reason } = planned;
    return (
      <span className="block max-w-72 text-right text-sm whitespace-normal md:w-80 md:max-w-80 md:text-left">
        {changes[change]}
        {strategy && ` ${ways[strategy]}`}.
        {reason && <span className="block text-muted [overflow-wrap:anywhere]">{changeReason(reason)}</span>}
      </span>
    );
  };

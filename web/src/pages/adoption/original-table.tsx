import type { Adoption, Plan } from '../../server-queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { whyOf } from '../deployments/reason.ts';

type Row = Adoption['services'][number];
type Original = Row['originals'][number];
type Planned = Plan['services'][number];

const changes: Record<Planned['change'], string> = {
  unchanged: 'Left alone',
  create: 'Started anew',
  replace: 'Replaced',
  remove: 'Removed; its volumes stay',
};
const ways = {
  start_first: 'without a gap: it is stopped when its replacement is ready',
  stop_first: 'with a gap: it is stopped first, and nobody answers until its replacement is ready',
} as const;

/** What ran each service before and what has become of it; with a plan, what the next cut-over does. */
export function OriginalTable({ services, plan }: { services: Row[]; plan: Plan | undefined }) {
  const columns: Column<Row>[] = [
    { title: 'Service', place: 'lead', cell: (row) => <Named row={row} /> },
    { title: 'Container before', cell: ({ originals }) => <Standings originals={originals} /> },
    ...(plan ? [{ title: 'Plan', cell: planCell(plan) }] : []),
  ];
  return <Table label="What ran before" rows={services} keyOf={({ name }) => name} columns={columns} />;
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
  'In charge': 'good',
  'In charge, does not run': 'warn',
  'Kept, but runs': 'warn',
};

/** Whether it runs is not known of a server that does not answer. */
function standingOf({ standing, running }: Original): string {
  if (standing === 'removed') return 'Removed';
  if (standing === 'stopped') return running ? 'Kept, but runs' : 'Stopped and kept';
  if (running === null) return 'In charge, server not reached';
  return running ? 'In charge' : 'In charge, does not run';
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
        {reason && <span className="block text-muted [overflow-wrap:anywhere]">{whyOf(reason)}</span>}
      </span>
    );
  };

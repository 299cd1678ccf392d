import { asSentence } from '../../api.ts';
import type { FoundService } from '../../server-queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Icon } from '../../ui/icons.tsx';
import { FoundDetails } from './found-details.tsx';
import { imageText, mountText, portText } from './found-words.ts';
import { useMayAdopt } from './may-adopt.ts';

type Props = {
  service: FoundService;
  isChosen: boolean;
  onChoose: ((on: boolean) => void) | undefined;
};

/** One service on a server, and whether it can be adopted. */
export function FoundItem({ service, isChosen, onChoose }: Props) {
  const { name, replicas } = service;
  const isTakable = useMayAdopt()(service);
  const title = <span className="font-medium [overflow-wrap:anywhere]">{name}</span>;
  return (
    <li aria-label={name} className="grid grid-cols-1 gap-2 px-5 py-3.5">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1.5">
        <span className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
          {onChoose && isTakable ? (
            <Checkbox checked={isChosen} onChange={onChoose}>
              {title}
            </Checkbox>
          ) : (
            title
          )}
          {replicas > 1 && <Badge>{replicas} containers</Badge>}
          <StateBadge service={service} />
        </span>
        <Verdict service={service} isTakable={isTakable} />
      </div>
      <p className="text-sm text-muted [overflow-wrap:anywhere]">{inShort(service)}</p>
      <Notes service={service} />
      <details className="group min-w-0 text-sm">
        <summary className="flex w-fit list-none items-center gap-1 rounded text-muted hover:text-ink [&::-webkit-details-marker]:hidden">
          <Icon name="right" size={14} className="transition-transform group-open:rotate-90" />
          Details<span className="sr-only"> of {name}</span>
        </summary>
        <FoundDetails service={service} />
      </details>
    </li>
  );
}

const inShort = ({ image, ports, mounts }: FoundService): string =>
  [
    imageText(image),
    ports.length && `${ports.length === 1 ? 'port' : 'ports'} ${ports.map(portText).join(', ')}`,
    mounts.length && mounts.map(mountText).join(', '),
  ]
    .filter(Boolean)
    .join(' · ');

function StateBadge({ service: { state, health } }: { service: FoundService }) {
  const isWell = state === 'running' && health !== 'unhealthy';
  const isIll = health === 'unhealthy' || ['dead', 'restarting'].includes(state);
  const text = health && health !== 'none' ? `${state}, ${health}` : state;
  return <Badge kind={isWell ? 'good' : isIll ? 'danger' : 'plain'}>{text}</Badge>;
}

function Verdict({ service, isTakable }: { service: FoundService; isTakable: boolean }) {
  if (service.alreadyManaged) return <Badge kind="accent">Managed by Mooring</Badge>;
  if (!service.adoptable) return <Badge>Cannot be adopted</Badge>;
  if (!isTakable) return <Badge kind="warn">Instance owner only</Badge>;
  return service.needsTrust.length ? <Badge kind="warn">Host access</Badge> : null;
}

/** The requirements of an adoption, and its changes. */
function Notes({ service: { needsTrust, warnings, alreadyManaged } }: { service: FoundService }) {
  const all = [
    ...needsTrust.map((reason) => ({ text: reason, isTrust: true })),
    ...warnings.map((text) => ({ text, isTrust: false })),
  ];
  if (!all.length) return null;
  return (
    <ul className="grid gap-1 text-sm">
      {all.map(({ text, isTrust }) => (
        <li key={text} className="flex gap-2">
          <Icon
            name={alreadyManaged ? 'check' : 'warning'}
            size={15}
            className={`mt-0.5 ${alreadyManaged ? 'text-accent' : 'text-warn'}`}
          />
          <span className="min-w-0 [overflow-wrap:anywhere]">
            {isTrust && <span className="font-medium">Host access: </span>}
            {isTrust ? text : asSentence(text)}
          </span>
        </li>
      ))}
    </ul>
  );
}

import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Domain, domainsQuery } from '../../api.ts';
import { usePermissions } from '../../permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { AddDomainDialog } from './add-domain-dialog.tsx';
import { DomainItem } from './domain-item.tsx';
import { type DomainTask, DomainTaskDialog } from './domain-task-dialog.tsx';
import { RemovedDomainNotice } from './removed-notice.tsx';

/** The custom domains of a project. */
export function DomainSection({ projectId }: { projectId: string }) {
  const may = usePermissions();
  const domains = useQuery(domainsQuery(projectId));
  const [isAdding, setIsAdding] = useState(false);
  const [added, setAdded] = useState<string>();
  const [task, setTask] = useState<DomainTask>();
  const [removed, setRemoved] = useState<Domain>();
  const button = may('project:write') && (
    <Button size={domains.data?.length ? 'small' : 'normal'} onClick={() => setIsAdding(true)} className="text-ink">
      <Icon name="plus" size={16} />
      Add domain
    </Button>
  );
  return (
    <Section title="Domains" aside={domains.data?.length ? <Aside domains={domains.data}>{button}</Aside> : undefined}>
      {/* A live region has to exist before it is filled. */}
      <p role="status" className="sr-only">
        {removed && `${removed.name} is removed`}
      </p>
      {removed && (
        <RemovedDomainNotice
          key={removed.id}
          domain={removed}
          onAdded={({ id }) => setAdded(id)}
          onClose={() => setRemoved(undefined)}
        />
      )}
      <Loaded query={domains} lines={2}>
        {(list) =>
          list.length ? (
            <List domains={list} added={added} onTask={setTask} />
          ) : (
            <EmptyState icon="globe" title="No custom domains yet" action={button}>
              Add a domain that you own and point its DNS records here. The certificate is issued automatically.
            </EmptyState>
          )
        }
      </Loaded>
      {isAdding && (
        <AddDomainDialog
          projectId={projectId}
          domains={domains.data ?? []}
          onAdded={({ id }) => setAdded(id)}
          onClose={() => setIsAdding(false)}
        />
      )}
      {task && <DomainTaskDialog task={task} onRemoved={setRemoved} onClose={() => setTask(undefined)} />}
    </Section>
  );
}

/** In a long list, a domain that needs action is easily overlooked. */
function Aside({ domains, children }: { domains: Domain[]; children: ReactNode }) {
  const waiting = domains.filter(({ action }) => action.required).length;
  return (
    <div className="flex items-center gap-3">
      {waiting > 0 && domains.length > 1 && (
        <Badge kind="warn">
          {waiting} of {domains.length} {waiting === 1 ? 'needs' : 'need'} action
        </Badge>
      )}
      {children}
    </div>
  );
}

type ListProps = { domains: Domain[]; added: string | undefined; onTask: (task: DomainTask) => void };

const List = ({ domains, added, onTask }: ListProps) => (
  <Card>
    <ul aria-label="Domains" className="divide-y divide-line">
      {inOrder(domains).map((domain) => (
        <DomainItem key={domain.id} domain={domain} isNew={domain.id === added} onTask={onTask} />
      ))}
    </ul>
  </Card>
);

/** Production first, and in each environment the primary domain first. */
const inOrder = (domains: Domain[]): Domain[] =>
  domains.toSorted(
    (one, other) =>
      Number(other.environment === 'production') - Number(one.environment === 'production') ||
      one.environment.localeCompare(other.environment) ||
      Number(other.isPrimary) - Number(one.isPrimary) ||
      one.name.localeCompare(other.name, 'en', { numeric: true }),
  );

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { activeReleasesQuery, sentenceOf } from '../../api.ts';
import { usePermissions } from '../../permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useChangeVariables, type Variable, variablesQuery } from '../../variable-queries.ts';
import { ApplyNotice } from '../projects/apply-notice.tsx';
import { production } from '../projects/environments.ts';
import { useProject } from '../projects/project-layout.tsx';
import { AddVariablesDialog, EditVariableDialog } from './variable-dialogs.tsx';

/** The variables of a project, for the app and its build. */
export function VariablesTab() {
  const { id } = useProject();
  const may = usePermissions();
  const variables = useQuery(variablesQuery(id));
  const [isAdding, setIsAdding] = useState(false);
  const [edited, setEdited] = useState<Variable>();
  const [words, setWords] = useState('');
  const toast = useToast();
  const change = useChangeVariables(id);
  const remove = ({ key, value, secret, buildTime }: Variable) => {
    // A secret value cannot be restored: the API never returned it.
    const undo = { text: 'Undo', run: () => change.mutate({ [key]: { value: value ?? '', secret, buildTime } }) };
    change.mutate({ [key]: null }, { onSuccess: () => toast(`${key} is removed`, secret ? undefined : undo) });
  };
  const hasSome = Boolean(variables.data?.length);
  const button = may('project:write') && (
    <Button size={hasSome ? 'small' : 'normal'} onClick={() => setIsAdding(true)} className="text-ink">
      <Icon name="plus" size={16} />
      Add variables
    </Button>
  );
  return (
    <Section title="Variables" aside={hasSome ? button : undefined}>
      <div className="grid grid-cols-1 gap-3">
        <Changed projectId={id} variables={variables.data ?? []} />
        {change.isError && (
          <Notice kind="danger" alert>
            {sentenceOf(change.error)}
          </Notice>
        )}
        <Loaded query={variables} lines={3}>
          {(list) =>
            list.length ? (
              <>
                {list.length > 8 && (
                  <input
                    type="search"
                    aria-label="Search variables"
                    placeholder="Search"
                    value={words}
                    onChange={(event) => setWords(event.target.value)}
                    className="control max-w-sm"
                  />
                )}
                <VariableTable
                  variables={list.filter(({ key }) => key.toLowerCase().includes(words.toLowerCase()))}
                  onEdit={setEdited}
                  onRemove={remove}
                />
              </>
            ) : (
              <EmptyState icon="key" title="No variables" action={button}>
                API keys, addresses and switches that your app reads from its environment. Paste a .env file to add them
                all.
              </EmptyState>
            )
          }
        </Loaded>
      </div>
      {isAdding && <AddVariablesDialog projectId={id} onClose={() => setIsAdding(false)} />}
      {edited && <EditVariableDialog projectId={id} variable={edited} onClose={() => setEdited(undefined)} />}
    </Section>
  );
}

type TableProps = {
  variables: Variable[];
  onEdit: (variable: Variable) => void;
  onRemove: (variable: Variable) => void;
};

function VariableTable({ variables, onEdit, onRemove }: TableProps) {
  const may = usePermissions();
  const columns: Column<Variable>[] = [
    {
      title: 'Name',
      place: 'lead',
      cell: ({ key }) => <span className="font-mono [overflow-wrap:anywhere]">{key}</span>,
    },
    { title: 'Value', cell: (variable) => <Value variable={variable} /> },
    { title: 'For', cell: ({ buildTime }) => (buildTime ? 'App, build' : 'App') },
    { title: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
    {
      title: 'Actions',
      place: 'actions',
      cell: (variable) =>
        may('project:write') && (
          <Actions variable={variable} onEdit={() => onEdit(variable)} onRemove={() => onRemove(variable)} />
        ),
    },
  ];
  return <Table label="Variables" rows={variables} keyOf={({ key }) => key} columns={columns} />;
}

const Value = ({ variable: { value, secret } }: { variable: Variable }) =>
  secret ? (
    <Badge>Secret</Badge>
  ) : (
    <span title={value ?? ''} className="block max-w-64 truncate font-mono text-[0.8125rem]">
      {value === '' ? <span className="text-muted">empty</span> : value}
    </span>
  );

type ActionsProps = { variable: Variable; onEdit: () => void; onRemove: () => void };

function Actions({ variable: { key, secret }, onEdit, onRemove }: ActionsProps) {
  return (
    <Menu
      trigger={
        <Button kind="quiet" size="icon" aria-label={`Actions for ${key}`}>
          <Icon name="more" />
        </Button>
      }
    >
      <MenuItem onSelect={onEdit}>Edit</MenuItem>
      <MenuLine />
      <MenuItem danger onSelect={onRemove}>
        {secret ? 'Remove, with its value' : 'Remove'}
      </MenuItem>
    </Menu>
  );
}

/** Variables that were changed after the active release was created. */
function Changed({ projectId, variables }: { projectId: string; variables: Variable[] }) {
  const may = usePermissions();
  const releases = useQuery({ ...activeReleasesQuery(projectId), enabled: may('deployment:list') });
  const active = releases.data?.find(({ environment }) => environment === production);
  if (!active) return null;
  const since = Date.parse(active.timing.createdAt);
  const changed = variables.filter(({ updatedAt }) => Date.parse(updatedAt) > since);
  if (!changed.length) return null;
  const title = changed.length === 1 ? `${changed[0]!.key} has changed` : `${changed.length} variables have changed`;
  return <ApplyNotice projectId={projectId} environment={production} title={`${title} since the active release`} />;
}

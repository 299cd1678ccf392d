import { ApiError, unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client, useChange } from '../../api.ts';
import { ChoiceField } from '../../forms/choice-field.tsx';
import { exactText } from '../../forms/exact-text.ts';
import { Form, FormActions } from '../../forms/form.tsx';
import { SelectField } from '../../forms/select-field.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { toServer } from '../../paths.ts';
import { type ClusterNode, type Server, serversQuery } from '../../server-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import { type NodeTask, nodeTasks, withNode } from './cluster-words.ts';

export type ClusterTask = { kind: 'create' } | { kind: 'join' } | { kind: NodeTask; node: ClusterNode };

type Props = { server: Server; onClose: () => void };

export function ClusterTaskDialog({ server, task, onClose }: Props & { task: ClusterTask }) {
  if (task.kind === 'create') return <CreateDialog server={server} onClose={onClose} />;
  if (task.kind === 'join') return <JoinDialog server={server} onClose={onClose} />;
  return <NodeDialog server={server} task={task} onClose={onClose} />;
}

const AddressField = () => (
  <TextField
    label="Address in the cluster"
    name="advertiseAddress"
    {...exactText}
    hint="IP address at which the other nodes reach this server. Empty: the address of the server."
  />
);

function CreateDialog({ server: { id, name }, onClose }: Props) {
  const toast = useToast();
  const create = useChange(async (body: { advertiseAddress?: string }) => {
    await unwrap(client.POST('/api/servers/{id}/cluster', { params: { path: { id } }, body }));
    toast(`${name} has a cluster`);
    onClose();
  });
  return (
    <Dialog
      title={`Create a cluster on ${name}`}
      lead="Creates a Docker Swarm on the server, or uses the one that it manages. Projects that you deploy to the server run on the cluster."
      onClose={onClose}
    >
      <Form change={create} onSubmit={(value) => create.mutate(addressIn(value('advertiseAddress')))}>
        <AddressField />
        <FormActions submit="Create cluster">
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}

const addressIn = (text: string) => (text.trim() ? { advertiseAddress: text.trim() } : {});

type Role = 'worker' | 'manager';
const roles: { value: Role; title: string; means: string }[] = [
  { value: 'worker', title: 'Worker', means: 'Runs apps.' },
  {
    value: 'manager',
    title: 'Manager',
    means: 'Runs apps and keeps the state of the cluster, which works while more than half of the managers do.',
  },
];

function JoinDialog({ server, onClose }: Props) {
  const toast = useToast();
  const servers = useQuery(serversQuery);
  const candidates = (servers.data ?? []).filter(
    (each) => each.kind === 'ssh' && (each.runtime === null || each.runtime === 'docker'),
  );
  const [chosen, setChosen] = useState<string>();
  const [role, setRole] = useState<Role>('worker');
  const serverId = chosen ?? candidates[0]?.id ?? '';
  const join = useChange(async (body: { advertiseAddress?: string }) => {
    const params = { path: { id: server.id } };
    await unwrap(client.POST('/api/servers/{id}/cluster/nodes', { params, body: { serverId, role, ...body } }));
    toast(`${candidates.find(({ id }) => id === serverId)?.name ?? 'The server'} has joined the cluster`);
    onClose();
  });
  return (
    <Dialog
      title="Add a server to the cluster"
      lead="The server runs apps of the cluster, and an edge with all its routes and certificates."
      onClose={onClose}
    >
      {candidates.length ? (
        <Form change={join} onSubmit={(value) => join.mutate(addressIn(value('advertiseAddress')))}>
          <SelectField
            label="Server"
            name="serverId"
            options={candidates.map(({ id, name }) => ({ value: id, title: name }))}
            value={serverId}
            onChange={setChosen}
          />
          <ChoiceField label="Role" name="role" choices={roles} value={role} onChange={setRole} />
          <AddressField />
          <FormActions submit="Add to the cluster">
            <Button onClick={onClose}>Cancel</Button>
          </FormActions>
        </Form>
      ) : (
        <p className="text-sm text-muted">No other server is free: each is in a cluster already. Add a server first.</p>
      )}
    </Dialog>
  );
}

type NodeProps = Props & { task: { kind: NodeTask; node: ClusterNode } };

function NodeDialog({ server, task: { kind, node }, onClose }: NodeProps) {
  const toast = useToast();
  const navigate = useNavigate();
  const [force, setForce] = useState(false);
  const words = nodeTasks[kind];
  const path = { id: server.id, nodeId: node.id };
  const change = useChange(async () => {
    if (kind === 'remove')
      await unwrap(
        client.DELETE('/api/servers/{id}/cluster/nodes/{nodeId}', {
          params: { path, query: { force: String(force) } },
        }),
      );
    else if (kind === 'head') {
      const params = { path: { id: server.id } };
      const body = { serverId: node.serverId!, force };
      await unwrap(client.POST('/api/servers/{id}/cluster/head', { params, body }));
      await navigate(toServer(node.serverId!));
    } else {
      const body =
        kind === 'manager' || kind === 'worker'
          ? { role: kind, force }
          : { availability: kind === 'drain' ? ('drain' as const) : ('active' as const), force };
      await unwrap(client.PATCH('/api/servers/{id}/cluster/nodes/{nodeId}', { params: { path }, body }));
    }
    toast(withNode(words.done, node));
    onClose();
  });
  const isRefused = change.error instanceof ApiError && change.error.status === 409;
  return (
    <ConfirmDialog
      title={withNode(words.title, node)}
      confirm={withNode(words.confirm, node)}
      kind={'danger' in words ? 'danger' : 'primary'}
      change={change}
      details={
        (isRefused || force) && (
          <Checkbox checked={force} onChange={setForce}>
            {'force' in words ? words.force : 'Do it anyway: what only this node can run is stopped'}
          </Checkbox>
        )
      }
      onConfirm={() => change.mutate(undefined)}
      onClose={onClose}
    >
      {withNode(words.text, node)}
    </ConfirmDialog>
  );
}

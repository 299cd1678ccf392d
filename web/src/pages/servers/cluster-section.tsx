import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { asSentence } from '../../api.ts';
import { toServer } from '../../paths.ts';
import { useResourcePermissions } from '../../permissions.ts';
import { clusterQuery, type ClusterNode, type Server, serversQuery } from '../../server-queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { MenuButton } from '../../ui/menu-button.tsx';
import { MenuItem, MenuLine } from '../../ui/menu.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { ClusterTaskDialog, type ClusterTask } from './cluster-task-dialog.tsx';
import { nameOfNode } from './cluster-words.ts';

/** The cluster of a server, or the offer to create one. */
export function ClusterSection({ server }: { server: Server }) {
  const mayOn = useResourcePermissions();
  const [task, setTask] = useState<ClusterTask>();
  const isAdmin = mayOn('server', server.id, 'admin');
  const isHead = server.runtime === 'swarm';
  if (server.runtime === 'docker' || (!isHead && !isAdmin)) return null;
  const begin = isHead ? (
    <Button onClick={() => setTask({ kind: 'join' })}>Add a server</Button>
  ) : (
    <Button onClick={() => setTask({ kind: 'create' })}>Create a cluster</Button>
  );
  return (
    <Section title="Cluster" aside={isAdmin && server.runtime !== 'node' && begin}>
      {isHead && <Nodes server={server} onTask={isAdmin ? setTask : undefined} />}
      {server.runtime === 'node' && <NodeHint />}
      {server.runtime === null && (
        <p className="text-sm text-muted">
          A cluster runs the apps of this server on several machines. When one fails, its apps start on another one.
        </p>
      )}
      {task && <ClusterTaskDialog server={server} task={task} onClose={() => setTask(undefined)} />}
    </Section>
  );
}

function NodeHint() {
  const servers = useQuery(serversQuery);
  const [head, ...others] = (servers.data ?? []).filter(({ runtime }) => runtime === 'swarm');
  const cluster =
    head && !others.length ? (
      <>
        the cluster of{' '}
        <Link {...toServer(head.id)} className="rounded text-accent underline">
          {head.name}
        </Link>
      </>
    ) : (
      'a cluster'
    );
  return (
    <p className="text-sm text-muted">
      This server is a node of {cluster}. It runs apps of the cluster, and an edge with all its routes.
    </p>
  );
}

type NodesProps = { server: Server; onTask: ((task: ClusterTask) => void) | undefined };

function Nodes({ server, onTask }: NodesProps) {
  const cluster = useQuery(clusterQuery(server.id));
  const columns: Column<ClusterNode>[] = [
    { title: 'Node', place: 'lead', cell: (node) => <Name node={node} /> },
    { title: 'Role', cell: ({ role, isLeader }) => (isLeader ? `${role}, leader` : role) },
    { title: 'State', cell: (node) => <State node={node} /> },
    { title: 'Stacks with volumes', cell: ({ stacksWithVolumes }) => String(stacksWithVolumes) },
    ...(onTask
      ? [
          {
            title: 'Actions',
            place: 'actions' as const,
            cell: (node: ClusterNode) => <NodeMenu {...{ node, onTask }} isHead={node.serverId === server.id} />,
          },
        ]
      : []),
  ];
  return (
    <Loaded query={cluster} lines={3}>
      {({ nodes, problems }) => (
        <div className="grid grid-cols-1 gap-4">
          {problems.length > 0 && (
            <Notice kind="warn">
              {problems.map((problem) => (
                <p key={problem}>{asSentence(problem)}</p>
              ))}
            </Notice>
          )}
          <Table label="Nodes" rows={nodes} keyOf={({ id }) => id} columns={columns} />
        </div>
      )}
    </Loaded>
  );
}

function Name({ node }: { node: ClusterNode }) {
  const facts = [node.address, node.architecture, node.engineVersion && `Docker ${node.engineVersion}`];
  return (
    <span className="block min-w-0">
      <span className="block truncate font-medium">{nameOfNode(node)}</span>
      <span className="block truncate text-sm text-muted">{facts.filter(Boolean).join(', ')}</span>
    </span>
  );
}

function State({ node: { state, availability } }: { node: ClusterNode }) {
  if (state !== 'ready') return <Badge kind="danger">{state}</Badge>;
  if (availability === 'active') return <Badge kind="good">ready</Badge>;
  return <Badge kind="warn">{availability === 'drain' ? 'drained' : 'paused'}</Badge>;
}

type MenuProps = { node: ClusterNode; isHead: boolean; onTask: (task: ClusterTask) => void };

function NodeMenu({ node, isHead, onTask }: MenuProps) {
  const isActive = node.availability === 'active';
  return (
    <MenuButton label={`Actions for the node ${nameOfNode(node)}`}>
      <MenuItem onSelect={() => onTask({ kind: isActive ? 'drain' : 'activate', node })}>
        {isActive ? 'Drain' : 'Activate'}
      </MenuItem>
      {!isHead && (
        <>
          <MenuItem onSelect={() => onTask({ kind: node.role === 'manager' ? 'worker' : 'manager', node })}>
            {node.role === 'manager' ? 'Make it a worker' : 'Make it a manager'}
          </MenuItem>
          {node.role === 'manager' && node.serverId && (
            <MenuItem onSelect={() => onTask({ kind: 'head', node })}>Deploy through this node</MenuItem>
          )}
          <MenuLine />
          <MenuItem danger onSelect={() => onTask({ kind: 'remove', node })}>
            Remove from the cluster
          </MenuItem>
        </>
      )}
    </MenuButton>
  );
}

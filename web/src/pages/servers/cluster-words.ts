import type { ClusterNode } from '../../server-queries.ts';

export const nameOfNode = ({ serverName, hostname }: ClusterNode): string => serverName ?? hostname;

type Words = { title: string; confirm: string; text: string; done: string; force?: string; danger?: boolean };

/** What each change of a node means. */
export const nodeTasks = {
  drain: {
    title: 'Drain {node}?',
    confirm: 'Drain',
    text: 'Apps start on other nodes before they stop here. The node gets none until you activate it again.',
    done: '{node} is drained',
  },
  activate: {
    title: 'Activate {node}?',
    confirm: 'Activate',
    text: 'The node accepts apps again. What was moved away stays where it is until its next deployment.',
    done: '{node} is active',
  },
  manager: {
    title: 'Make {node} a manager?',
    confirm: 'Make it a manager',
    text: 'Managers keep the state of the cluster, which works while more than half of them do. Use one, three or five.',
    done: '{node} is a manager',
  },
  worker: {
    title: 'Make {node} a worker?',
    confirm: 'Make it a worker',
    text: 'The node goes on running apps, and does not keep the state of the cluster any more.',
    done: '{node} is a worker',
  },
  head: {
    title: 'Deploy through {node}?',
    confirm: 'Deploy through {node}',
    text: 'Projects of the cluster are deployed to {node} from now on. Apps keep running, and their addresses stay. The previous server becomes a node, and files that services wrote to mounted folders stay on it.',
    force: 'Do it anyway: services leave their mounted folders behind',
    done: 'Projects are deployed through {node}',
  },
  remove: {
    title: 'Remove {node} from the cluster?',
    confirm: 'Remove',
    text: 'The node is drained, its edge is removed and it leaves the Swarm. The server stays in Mooring.',
    done: '{node} has left the cluster',
    danger: true,
  },
} as const satisfies Record<string, Words>;

export type NodeTask = keyof typeof nodeTasks;

export const withNode = (text: string, node: ClusterNode): string => text.replace('{node}', nameOfNode(node));

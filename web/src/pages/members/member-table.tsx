import { type Member, useSession } from '../../api.ts';
import { roleMeans, roleTitle } from '../../roles.ts';
import { dayOf } from '../../times.ts';
import { Badge } from '../../ui/badge.tsx';
import { Person } from '../../ui/person.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { MemberMenu } from './member-menu.tsx';
import type { MemberTask } from './member-task-dialog.tsx';

export function MemberTable({ members, onTask }: { members: Member[]; onTask: (task: MemberTask) => void }) {
  const columns: Column<Member>[] = [
    { title: 'Member', place: 'lead', cell: (member) => <MemberName member={member} /> },
    { title: 'Role', cell: (member) => <MemberRole member={member} /> },
    { title: 'Since', cell: ({ createdAt }) => <span className="text-sm text-muted">{dayOf(createdAt)}</span> },
    { title: 'Actions', place: 'actions', cell: (member) => <MemberMenu member={member} onTask={onTask} /> },
  ];
  return <Table label="Members" rows={members} keyOf={({ id }) => id} columns={columns} />;
}

function MemberName({ member }: { member: Member }) {
  const { user } = useSession();
  return <Person name={member.name} email={member.email} mark={member.userId === user.id && <Badge>You</Badge>} />;
}

function MemberRole({ member: { role, grants } }: { member: Member }) {
  const reach = role === 'restricted' ? (grants.length === 1 ? '1 grant' : `${grants.length} grants`) : undefined;
  return (
    <span className="flex items-center gap-2" title={roleMeans(role)}>
      <Badge kind={role === 'owner' ? 'accent' : 'plain'}>{roleTitle(role)}</Badge>
      {reach && <span className="text-sm text-muted">{reach}</span>}
    </span>
  );
}

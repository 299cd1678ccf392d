import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { invitationsQuery, membersQuery } from '../../api.ts';
import { toMembers } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { InvitationTable } from './invitation-table.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { type MemberTask, MemberTaskDialog } from './member-task-dialog.tsx';
import { MemberTable } from './member-table.tsx';

export function MembersPage() {
  const may = usePermissions();
  const members = useQuery(membersQuery);
  const invitations = useQuery(invitationsQuery);
  const [task, setTask] = useState<MemberTask>();
  const { invite } = useSearch({ from: '/signed-in/members' });
  const navigate = useNavigate();
  const setInviting = (on: boolean) => void navigate(toMembers(on ? { invite: true } : {}));
  const button = may('member:admin') && (
    <Button kind="primary" onClick={() => setInviting(true)}>
      <Icon name="plus" size={16} />
      Invite somebody
    </Button>
  );
  return (
    <Page title="Members" lead="The people of this organization and what their roles let them do." action={button}>
      <Loaded query={members}>{(list) => <MemberTable members={list} onTask={setTask} />}</Loaded>
      <Section title="Open invitations">
        <Loaded query={invitations} lines={1}>
          {(list) => <InvitationTable invitations={list} />}
        </Loaded>
      </Section>
      {invite && may('member:admin') && <InviteDialog onClose={() => setInviting(false)} />}
      {task && <MemberTaskDialog task={task} onTask={setTask} />}
    </Page>
  );
}

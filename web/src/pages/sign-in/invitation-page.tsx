import { ApiError, unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { client, useChange } from '../../api.ts';
import { Form, FormActions } from '../../forms/form.tsx';
import { NewPasswordField, PasswordField } from '../../forms/password-field.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { useFragment } from '../../fragment.ts';
import { roleMeans, roleTitle } from '../../roles.ts';
import { useEnter } from '../../session.ts';
import { Badge } from '../../ui/badge.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { SmallPage } from '../../shell/small-page.tsx';
import { InvalidLink } from './invalid-link.tsx';

const look = async (token: string) => (await unwrap(client.POST('/api/invitations/look', { body: { token } }))).data;
type Invitation = Awaited<ReturnType<typeof look>>;

export function InvitationPage() {
  const token = useFragment('token') ?? '';
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => look(token),
    enabled: token !== '',
    staleTime: Infinity,
  });
  if (!token || isGone(invitation.error)) return <InvalidLink what="invitation" />;
  const title = invitation.data ? `Join ${invitation.data.organizationName}` : 'Invitation';
  return (
    <SmallPage title={title} lead={invitation.data && 'You are invited to work together on Mooring.'}>
      <Loaded query={invitation}>{(data) => <Acceptance token={token} invitation={data} />}</Loaded>
    </SmallPage>
  );
}

const isGone = (error: unknown) => error instanceof ApiError && error.code === 'not_found';

type Answer = { name?: string; password: string };

function Acceptance({ token, invitation }: { token: string; invitation: Invitation }) {
  const enter = useEnter();
  const accept = useChange(async (answer: Answer) => {
    const { data } = await unwrap(client.POST('/api/invitations/accept', { body: { token, ...answer } }));
    enter(data.sessionProof, undefined, data.organization.id);
  });
  const { email, role, hasAccount } = invitation;
  return (
    <Form
      change={accept}
      onSubmit={(value) => accept.mutate({ name: hasAccount ? undefined : value('name'), password: value('password') })}
    >
      <dl className="grid gap-3 rounded-lg bg-sunken p-4 text-sm">
        <div>
          <dt className="text-muted">For</dt>
          <dd className="font-medium [overflow-wrap:anywhere]">{email}</dd>
        </div>
        <div>
          <dt className="mb-1 text-muted">Role</dt>
          <dd>
            <Badge kind="accent">{roleTitle(role)}</Badge> <span className="text-muted">{roleMeans(role)}</span>
          </dd>
        </div>
      </dl>
      {/* Password managers store the new password under this address. */}
      <input type="hidden" name="email" autoComplete="username" value={email} />
      {hasAccount ? (
        <PasswordField
          label="Your password"
          name="password"
          autoComplete="current-password"
          hint="You have an account here already."
        />
      ) : (
        <>
          <TextField label="Your name" name="name" autoComplete="name" required autoFocus />
          <NewPasswordField />
        </>
      )}
      <FormActions submit={hasAccount ? 'Sign in and join' : 'Create account and join'} kind="full" />
    </Form>
  );
}

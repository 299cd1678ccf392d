import { unwrap } from '@mooring/client';
import { useState } from 'react';
import { client, useChange, useSession } from '../../api.ts';
import { Form, FormActions } from '../../forms/form.tsx';
import { NewPasswordField, PasswordField } from '../../forms/password-field.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Card, Page, Section } from '../../ui/page.tsx';
import { Person } from '../../ui/person.tsx';
import { useToast } from '../../ui/toast.tsx';

export function AccountPage() {
  const { user } = useSession();
  return (
    <Page title="Your account" lead="How you sign in, in every organization of this instance.">
      <Card className="p-5">
        <Person
          name={user.name}
          email={user.email}
          mark={user.isInstanceOwner && <Badge kind="accent">Instance owner</Badge>}
        />
      </Card>
      <PasswordSection />
    </Page>
  );
}

type Passwords = { currentPassword: string; newPassword: string; revokeTokens: boolean };

function PasswordSection() {
  const toast = useToast();
  const [round, setRound] = useState(0);
  const [revokeTokens, setRevokeTokens] = useState(false);
  const change = useChange(async (body: Passwords) => {
    await unwrap(client.POST('/api/auth/password', { body }));
    toast('Your password is changed');
    setRevokeTokens(false);
    setRound((last) => last + 1);
  });
  return (
    <Section title="Change password">
      <Card className="p-5 sm:max-w-lg">
        {/* A new key resets the fields. */}
        <Form
          key={round}
          change={change}
          onSubmit={(value) =>
            change.mutate({
              currentPassword: value('currentPassword'),
              newPassword: value('newPassword'),
              revokeTokens,
            })
          }
        >
          <PasswordField label="Current password" name="currentPassword" autoComplete="current-password" />
          <NewPasswordField label="New password" name="newPassword" />
          <Checkbox checked={revokeTokens} onChange={setRevokeTokens}>
            Revoke my access tokens in every organization
          </Checkbox>
          <p className="text-sm text-muted">This signs you out everywhere else.</p>
          <FormActions submit="Change password" />
        </Form>
      </Card>
    </Section>
  );
}

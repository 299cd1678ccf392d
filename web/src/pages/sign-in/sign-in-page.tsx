import { unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { client, setupQuery, useChange } from '../../api.ts';
import { Form, FormActions } from '../../forms/form.tsx';
import { PasswordField } from '../../forms/password-field.tsx';
import { EmailField } from '../../forms/text-field.tsx';
import { paths } from '../../paths.ts';
import { useEnter } from '../../session.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { SmallPage } from '../../shell/small-page.tsx';
import { SetupNeeded } from './setup-needed.tsx';

export function SignInPage() {
  const setup = useQuery(setupQuery);
  const { expired } = useSearch({ from: paths.signIn });
  if (setup.data?.needed) return <SetupNeeded />;
  return (
    <SmallPage title="Sign in" lead={expired ? 'Your session has ended. Sign in again to continue.' : 'Welcome back.'}>
      <Loaded query={setup}>{() => <SignInForm />}</Loaded>
    </SmallPage>
  );
}

type Credentials = { email: string; password: string };

function SignInForm() {
  const { next } = useSearch({ from: paths.signIn });
  const enter = useEnter();
  const signIn = useChange(async (body: Credentials) => {
    const { data } = await unwrap(client.POST('/api/auth/sign-in', { body }));
    enter(data.sessionProof, next);
  });
  return (
    <Form change={signIn} onSubmit={(value) => signIn.mutate({ email: value('email'), password: value('password') })}>
      <EmailField autoComplete="username" autoFocus />
      <PasswordField label="Password" name="password" autoComplete="current-password" />
      <FormActions submit="Sign in" kind="full" />
      <p className="text-center text-sm text-muted">Forgot your password? An owner can create a reset link for you.</p>
    </Form>
  );
}

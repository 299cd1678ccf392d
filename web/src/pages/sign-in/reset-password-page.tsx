import { ApiError, unwrap } from '@mooring/client';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client, useChange } from '../../api.ts';
import { Form, FormActions } from '../../forms/form.tsx';
import { NewPasswordField } from '../../forms/password-field.tsx';
import { useFragment } from '../../fragment.ts';
import { toSignIn } from '../../paths.ts';
import { buttonLook } from '../../ui/button.tsx';
import { SmallPage } from '../../shell/small-page.tsx';
import { InvalidLink } from './invalid-link.tsx';

export function ResetPasswordPage() {
  const token = useFragment('token');
  const queries = useQueryClient();
  const reset = useChange(async (password: string) => {
    await unwrap(client.POST('/api/auth/reset-password', { body: { token: token ?? '', password } }));
    // All sessions of the person have ended, including this browser's.
    queries.clear();
  });
  if (reset.isSuccess) return <Done />;
  if (!token || (reset.error instanceof ApiError && reset.error.code === 'not_found'))
    return <InvalidLink what="reset" />;
  return (
    <SmallPage title="New password" lead="Setting it ends all of your sessions and revokes your access tokens.">
      <Form change={reset} onSubmit={(value) => reset.mutate(value('password'))}>
        <NewPasswordField label="New password" />
        <FormActions submit="Set password" kind="full" />
      </Form>
    </SmallPage>
  );
}

function Done() {
  return (
    <SmallPage title="Password set" lead="You can sign in with it now.">
      <Link {...toSignIn()} className={`${buttonLook({ kind: 'primary' })} w-full`}>
        Sign in
      </Link>
    </SmallPage>
  );
}

import { unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client, setupQuery, useChange } from '../../api.ts';
import { Form, FormActions } from '../../forms/form.tsx';
import { NewPasswordField } from '../../forms/password-field.tsx';
import { EmailField, TextField } from '../../forms/text-field.tsx';
import { useFragment } from '../../fragment.ts';
import { toSignIn } from '../../paths.ts';
import { useEnter } from '../../session.ts';
import { buttonLook } from '../../ui/button.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { SmallPage } from '../../shell/small-page.tsx';
import { SetupNeeded } from './setup-needed.tsx';

export function SetupPage() {
  const code = useFragment('code');
  const setup = useQuery(setupQuery);
  if (setup.data?.needed === false) return <AlreadySetUp />;
  if (setup.data && !code) return <SetupNeeded />;
  return (
    <SmallPage title="Set up Mooring" lead="Create the account that owns this instance.">
      <Loaded query={setup}>{() => <OwnerForm code={code ?? ''} />}</Loaded>
    </SmallPage>
  );
}

type Owner = { name: string; email: string; password: string; organizationName?: string };

function OwnerForm({ code }: { code: string }) {
  const enter = useEnter();
  const create = useChange(async (owner: Owner) => {
    const { data } = await unwrap(client.POST('/api/auth/setup', { body: { code, ...owner } }));
    enter(data.sessionProof, undefined, data.organization.id);
  });
  return (
    <Form
      change={create}
      onSubmit={(value) =>
        create.mutate({
          name: value('name'),
          email: value('email'),
          password: value('password'),
          organizationName: value('organizationName').trim() || undefined,
        })
      }
    >
      <TextField label="Your name" name="name" autoComplete="name" required autoFocus />
      <EmailField autoComplete="username" />
      <NewPasswordField />
      <TextField
        label="Organization"
        name="organizationName"
        autoComplete="organization"
        placeholder="Named after you, if left empty"
        hint="It owns everything you deploy. You can rename it later."
      />
      <FormActions submit="Create owner" kind="full" />
    </Form>
  );
}

function AlreadySetUp() {
  return (
    <SmallPage title="Already set up" lead="This instance has its owner. The set-up link is used up.">
      <Link {...toSignIn()} className={`${buttonLook({ kind: 'primary' })} w-full`}>
        Sign in
      </Link>
    </SmallPage>
  );
}

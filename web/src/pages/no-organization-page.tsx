import { useSession } from '../api.ts';
import { useSignOut } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { SmallPage } from '../shell/small-page.tsx';

/** For a person whose last membership has ended: they can sign in, but there is nothing to see. */
export function NoOrganizationPage() {
  const { user } = useSession();
  const signOut = useSignOut();
  return (
    <SmallPage
      title="No organization"
      lead={`You are signed in as ${user.email}, but you belong to no organization at the moment.`}
    >
      <p className="text-muted">
        Ask an owner or admin to invite this address. Their invitation link brings you back in.
      </p>
      <Button className="mt-6 w-full" onClick={() => void signOut()}>
        Sign out
      </Button>
    </SmallPage>
  );
}

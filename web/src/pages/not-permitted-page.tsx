import { Link } from '@tanstack/react-router';
import { useMe } from '../api.ts';
import { paths } from '../paths.ts';
import { roleTitle } from '../roles.ts';
import { buttonLook } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';

/** For an address that was handed on, or a role that changed: the page is there, but not for this role. */
export function NotPermittedPage() {
  const { organization } = useMe();
  const back = (
    <Link to={paths.overview} className={buttonLook()}>
      To the overview
    </Link>
  );
  return (
    <>
      <title>Not permitted · Mooring</title>
      <EmptyState icon="warning" title="Your role does not include this page" action={back}>
        In {organization?.name} your role is {roleTitle(organization?.role ?? '')}. An owner or admin can change that.
      </EmptyState>
    </>
  );
}

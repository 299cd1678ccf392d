import { Link } from '@tanstack/react-router';
import { useSession } from '../api.ts';
import { paths } from '../paths.ts';
import { roleTitle } from '../roles.ts';
import { buttonLook } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Page } from '../ui/page.tsx';

/** Shown when the role of the person does not include the page. */
export function NotPermittedPage() {
  const { organization } = useSession();
  const back = (
    <Link to={paths.overview} className={buttonLook()}>
      Go to the overview
    </Link>
  );
  return (
    <Page title="Not permitted">
      <EmptyState icon="warning" title="Your role does not include this page" action={back}>
        In {organization?.name} your role is {roleTitle(organization?.role ?? '')}. An owner or admin can change that.
      </EmptyState>
    </Page>
  );
}

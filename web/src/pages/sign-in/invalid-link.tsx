import { Link } from '@tanstack/react-router';
import { toSignIn } from '../../paths.ts';
import { buttonLook } from '../../ui/button.tsx';
import { SmallPage } from '../../shell/small-page.tsx';

const titles = { invitation: 'This invitation has expired', reset: 'This reset link has expired' };

/** A link that was used, revoked, has expired or was truncated. */
export function InvalidLink({ what }: { what: keyof typeof titles }) {
  return (
    <SmallPage title={titles[what]} lead="It has been used or withdrawn, has expired, or is incomplete.">
      <p className="text-muted">Ask the person who gave it to you for a new one.</p>
      <Link {...toSignIn()} className={`${buttonLook()} mt-6 w-full`}>
        To sign-in
      </Link>
    </SmallPage>
  );
}

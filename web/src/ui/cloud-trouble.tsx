import { Link } from '@tanstack/react-router';
import { sentenceOf } from '../api.ts';
import { cloudTroubleIn } from '../cloud-error.ts';
import { toCloudLink } from '../paths.ts';
import { usePermissions } from '../permissions.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

type Props = {
  error: unknown;
  retry: () => void;
  isAsking?: boolean;
  /** The page shows earlier data. */
  isStale?: boolean;
};

/** Says why the cloud's data cannot be loaded and what to do, with a retry button. */
export function CloudTrouble({ error, retry, isAsking, isStale }: Props) {
  const trouble = cloudTroubleIn(error);
  const title = trouble === 'refused' ? 'The cloud rejected our token' : 'The cloud does not respond';
  return (
    <Notice kind="warn" alert>
      <p className="font-medium">{title}</p>
      <div className="mt-1 text-ink">
        <p>{sentenceOf(error)}</p>
        <p className="mt-1">
          {isStale && 'This is the last known state. '}
          {trouble === 'refused' ? <LinkAgain /> : 'Deployments there keep running.'}
        </p>
      </div>
      <Button size="small" busy={isAsking} onClick={retry} className="mt-3 text-ink">
        Try again
      </Button>
    </Notice>
  );
}

function LinkAgain() {
  const may = usePermissions();
  if (!may('organization:admin')) return 'An owner or admin can link the cloud again.';
  return (
    <>
      Create a new access token there and{' '}
      <Link {...toCloudLink()} className="rounded text-accent underline">
        link the cloud again
      </Link>
      .
    </>
  );
}

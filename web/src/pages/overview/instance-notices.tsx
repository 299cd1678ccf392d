import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { instanceQuery } from '../../api.ts';
import { paths } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { instanceUpdateQuery } from '../../update-queries.ts';
import { Notice } from '../../ui/notice.tsx';

/** Notices about the machine and new versions, for the instance owner only. */
export function InstanceNotices() {
  const { data } = useQuery(instanceQuery);
  const { data: update } = useQuery({ ...instanceUpdateQuery, enabled: usePermissions()('instance:owner') });
  return (
    <>
      {update?.isNewer && (
        <Notice>
          Mooring {update.latestVersion} is available.{' '}
          <Link to={paths.instance} className="rounded font-medium text-accent hover:underline">
            See the update
          </Link>
        </Notice>
      )}
      {data?.notices.map((notice) => (
        <Notice key={notice} kind="warn">
          {notice}
        </Notice>
      ))}
    </>
  );
}

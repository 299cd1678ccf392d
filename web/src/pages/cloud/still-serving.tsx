import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { activeReleasesQuery, type Project } from '../../api.ts';
import { toDeployment } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { Notice } from '../../ui/notice.tsx';

/** Releases that still serve at the project's previous location: they are never stopped automatically. */
export function StillServing({ project: { id, cloud } }: { project: Project }) {
  const may = usePermissions();
  const { data } = useQuery({ ...activeReleasesQuery(id), enabled: may('deployment:list') });
  const isAway = cloud === 'there';
  const others = data?.filter(({ deployTarget }) => (deployTarget === 'cloud') !== isAway) ?? [];
  if (!others.length) return null;
  return (
    <Notice>
      {isAway ? 'Still serves here: ' : 'Still serves in the cloud: '}
      {others.map((each, index) => (
        <span key={each.id}>
          {index > 0 && ', '}
          <Link {...toDeployment(each.id)} className="rounded text-accent underline">
            {each.environment}
          </Link>
        </span>
      ))}
      . {isAway ? 'Remove it once the domains point to the cloud.' : 'Remove it once the domains point here.'}
    </Notice>
  );
}

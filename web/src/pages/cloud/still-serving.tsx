import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { deploymentsOfQuery, type Project } from '../../api.ts';
import { toDeployment } from '../../paths.ts';
import { useMay } from '../../permissions.ts';
import { Notice } from '../../ui/notice.tsx';

/** What still serves where the project does not live any more: nothing there is ended by itself. */
export function StillServing({ project: { id, cloud } }: { project: Project }) {
  const may = useMay();
  const { data } = useQuery({ ...deploymentsOfQuery(id), enabled: may('deployment:list') });
  const isAway = cloud === 'there';
  const others = data?.filter(({ active, deployTarget }) => active && (deployTarget === 'cloud') !== isAway) ?? [];
  if (!others.length) return null;
  return (
    <Notice>
      {isAway ? 'What ran here before still serves: ' : 'Still serves in the cloud: '}
      {others.map((each, index) => (
        <span key={each.id}>
          {index > 0 && ', '}
          <Link {...toDeployment(each.id)} className="rounded text-accent hover:underline">
            {each.environment}
          </Link>
        </span>
      ))}
      . {isAway ? 'Remove it when names lead to the cloud.' : 'Remove it when names lead here.'}
    </Notice>
  );
}

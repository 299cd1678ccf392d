import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { activeReleasesQuery, domainsQuery, type Project } from '../../api.ts';
import { cloudLinkQuery } from '../../cloud-queries.ts';
import { usePermissions } from '../../permissions.ts';
import { OutsideLink } from '../../ui/outside-link.tsx';
import { Card } from '../../ui/page.tsx';

/** Content about the server that a project runs on. For a project in the cloud, only what is left on this machine. */
export function RunsHereContent({ project, children }: { project: Project; children: ReactNode }) {
  if (project.deployTarget !== 'cloud') return children;
  return (
    <>
      <There project={project} />
      <StillHere project={project}>{children}</StillHere>
    </>
  );
}

function There({ project: { id } }: { project: Project }) {
  const { data: link } = useQuery(cloudLinkQuery);
  return (
    <Card className="p-5">
      <p>This project runs in the cloud. Its domains, traffic, volumes and services are shown there.</p>
      {link?.url && (
        <p className="mt-2 [overflow-wrap:anywhere]">
          <OutsideLink url={`${link.url}/projects/${id}`} />
        </p>
      )}
    </Card>
  );
}

/** Domains may still point here, or an earlier release may still serve. */
function StillHere({ project, children }: { project: Project; children: ReactNode }) {
  const may = usePermissions();
  const domains = useQuery(domainsQuery(project.id));
  const releases = useQuery({ ...activeReleasesQuery(project.id), enabled: may('deployment:list') });
  const isServing = releases.data?.some(({ deployTarget }) => deployTarget !== 'cloud');
  return domains.data?.length || isServing ? children : null;
}

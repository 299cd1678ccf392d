import { useQuery } from '@tanstack/react-query';
import { deploymentsOfQuery, domainsQuery, type Project } from '../../api.ts';
import { cloudLinkQuery } from '../../cloud-queries.ts';
import { useMay } from '../../permissions.ts';
import { OutsideLink } from '../../ui/outside-link.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { ServiceSection } from '../services/service-section.tsx';
import { VolumeSection } from '../volumes/volume-section.tsx';
import { DomainSection } from '../domains/domain-section.tsx';
import { TrafficSection } from '../traffic/traffic-section.tsx';

/** Services, domains, traffic and volumes of a project: all of them belong to the machine that it runs on. */
export function NamesAndVisitors({ project }: { project: Project }) {
  if (project.deployTarget !== 'cloud') return <Here project={project} />;
  return (
    <>
      <There project={project} />
      <StillHere project={project} />
    </>
  );
}

const Here = ({ project }: { project: Project }) => (
  <>
    <ServiceSection project={project} />
    <DomainSection projectId={project.id} />
    <TrafficSection projectId={project.id} />
    <VolumeSection projectId={project.id} />
  </>
);

function There({ project: { id } }: { project: Project }) {
  const { data: link } = useQuery(cloudLinkQuery);
  return (
    <Section title="Domains and traffic">
      <Card className="p-5">
        <p>Names of its own are added in the cloud, where its visitors are counted too.</p>
        {link?.url && (
          <p className="mt-2 [overflow-wrap:anywhere]">
            <OutsideLink url={`${link.url}/projects/${id}`} />
          </p>
        )}
      </Card>
    </Section>
  );
}

/** What was here before it was taken there: names still lead here, or something still serves. */
function StillHere({ project }: { project: Project }) {
  const may = useMay();
  const domains = useQuery(domainsQuery(project.id));
  const deployments = useQuery({ ...deploymentsOfQuery(project.id), enabled: may('deployment:list') });
  const isServing = deployments.data?.some(({ active, deployTarget }) => active && deployTarget !== 'cloud');
  return domains.data?.length || isServing ? <Here project={project} /> : null;
}

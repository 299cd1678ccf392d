import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import {
  type Deployment,
  deploymentsOfQuery,
  isUnfinishedDeployment,
  deploymentPollMs,
  type Project,
} from '../../api.ts';
import { toDeployment } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { type Adoption, adoptionQuery, planQuery } from '../../server-queries.ts';
import { Failure, Notice } from '../../ui/notice.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { AdoptionActions } from './adoption-actions.tsx';
import { type AdoptionOutcome, OutcomeNotice } from './adoption-outcome.tsx';
import { AdoptionBadge, adoptionSentence } from './adoption-state.tsx';
import { OriginalTable } from './original-table.tsx';
import { PlanNotes } from './plan-notes.tsx';

/** The cut-over of a project that was made of containers found on a server. */
export function AdoptionSection({ project }: { project: Project }) {
  const may = usePermissions();
  const deployments = useQuery({ ...deploymentsOfQuery(project.id), enabled: may('deployment:list') });
  const underWay = deployments.data?.find(isUnfinishedDeployment);
  const adoption = useQuery({
    ...adoptionQuery(project.id),
    refetchInterval: ({ state: { data } }) => (underWay || isGoingOn(data) ? deploymentPollMs : false),
  });
  if (adoption.data === null) return null;
  if (adoption.error && !adoption.data)
    return (
      <Section title="Adoption">
        <Failure error={adoption.error} retry={() => void adoption.refetch()} />
      </Section>
    );
  if (!adoption.data) return null;
  return <Shown project={project} adoption={adoption.data} underWay={underWay} />;
}

const isGoingOn = (adoption: Adoption | null | undefined) =>
  adoption?.state === 'undoing' || adoption?.state === 'confirming';

type Props = { project: Project; adoption: Adoption; underWay: Deployment | undefined };

function Shown({ project, adoption, underWay }: Props) {
  const may = usePermissions();
  const [outcome, setOutcome] = useState<AdoptionOutcome>();
  const isOpen = adoption.services.some(({ originals }) => originals.some(({ standing }) => standing === 'in_charge'));
  const isPlanned = isOpen && !underWay && !isGoingOn(adoption) && may('deployment:write');
  const plan = useQuery({ ...planQuery(project.id), enabled: isPlanned });
  const planned = isPlanned ? plan.data : undefined;
  return (
    <Section title="Adoption" aside={<AdoptionBadge state={adoption.state} />}>
      <div className="grid grid-cols-1 gap-4">
        {outcome && <OutcomeNotice outcome={outcome} onClose={() => setOutcome(undefined)} />}
        <Card className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 p-5">
          <p className="min-w-0 flex-1 basis-80">{adoptionSentence(adoption)}</p>
          {!underWay && <AdoptionActions project={project} adoption={adoption} plan={planned} onOutcome={setOutcome} />}
        </Card>
        {underWay && (
          <Notice>
            <Link {...toDeployment(underWay.id)} className="rounded text-accent underline">
              {underWay.status === 'partial_failure' ? 'A deployment needs a decision' : 'A deployment is in progress'}
            </Link>
            . Cut over, undo and confirm are available once it has finished.
          </Notice>
        )}
        <OriginalTable services={adoption.services} plan={planned} />
        {planned && <PlanNotes plan={planned} adoption={adoption} />}
        {isPlanned && plan.error && <Failure error={plan.error} retry={() => void plan.refetch()} />}
      </div>
    </Section>
  );
}

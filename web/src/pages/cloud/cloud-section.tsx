import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { asSentence, type Project } from '../../api.ts';
import { type CloudLink, cloudLinkQuery, useIsSelfHosted } from '../../cloud-queries.ts';
import { usePermissions } from '../../permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { BringHomeDialog } from './bring-home-dialog.tsx';
import { isPortable, whyNotPortable } from './portable.ts';
import { PromoteDialog } from './promote-dialog.tsx';
import { RemoveThereDialog } from './remove-there-dialog.tsx';
import { StillServing } from './still-serving.tsx';

type Task = 'promote' | 'bring-home' | 'remove';

/** Moves a project to the hosted cloud and back. Hidden without a cloud. */
export function ProjectCloudSection({ project }: { project: Project }) {
  const [task, setTask] = useState<Task>();
  const isSelfHosted = useIsSelfHosted();
  const { data: link } = useQuery({ ...cloudLinkQuery, enabled: isSelfHosted });
  if (!isSelfHosted || (!link?.linked && !project.cloud)) return null;
  const dialog = { project, onClose: () => setTask(undefined) };
  return (
    <Section title="Cloud">
      <div className="grid grid-cols-1 gap-4">
        <Card className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 p-5">
          <div className="min-w-0 flex-1 basis-80">
            <Meaning project={project} isLinked={link?.linked} />
          </div>
          <Actions project={project} isLinked={link?.linked === true} onTask={setTask} />
        </Card>
        {project.cloud && <StillServing project={project} />}
        {link?.reachable === false && <Away link={link} />}
      </div>
      {task === 'promote' && <PromoteDialog {...dialog} />}
      {task === 'bring-home' && <BringHomeDialog {...dialog} />}
      {task === 'remove' && <RemoveThereDialog {...dialog} />}
    </Section>
  );
}

/** `isLinked` is undefined until the cloud has responded. */
function Meaning({ project, isLinked }: { project: Project; isLinked: boolean | undefined }): ReactNode {
  if (project.cloud === 'there')
    return 'This project runs in the cloud. Each deployment goes there, with its settings and variables of this instance.';
  if (project.cloud === 'left' && isLinked === false)
    return 'This project runs here again. A copy is left in a cloud that is no longer linked. Link that cloud again to remove the copy, or leave it there.';
  if (project.cloud === 'left')
    return 'This project runs here again. Its copy in the cloud keeps serving until you remove it.';
  if (!isPortable(project)) return <span className="text-muted">{whyNotPortable(project)}</span>;
  return 'This project runs here. You can move it to the cloud and still manage it from here.';
}

type ActionProps = { project: Project; isLinked: boolean; onTask: (task: Task) => void };

function Actions({ project, isLinked, onTask }: ActionProps) {
  const may = usePermissions();
  if (project.cloud === 'there')
    return may('project:write') && <Button onClick={() => onTask('bring-home')}>Bring it home</Button>;
  return (
    <div className="flex flex-wrap gap-2">
      {project.cloud === 'left' && may('project:admin') && (
        <Button onClick={() => onTask('remove')}>Remove it from the cloud</Button>
      )}
      {isLinked && isPortable(project) && may('deployment:write') && (
        <Button onClick={() => onTask('promote')}>Move to the cloud</Button>
      )}
    </div>
  );
}

const Away = ({ link: { problem } }: { link: CloudLink }) => (
  <Notice kind="warn">
    <p className="font-medium">{asSentence(problem ?? 'the cloud does not respond')}</p>
    <p className="text-ink">Deployments there keep running. You can still bring a project home.</p>
  </Notice>
);

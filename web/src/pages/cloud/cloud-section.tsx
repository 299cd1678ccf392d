import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { asSentence, type Project } from '../../api.ts';
import { type CloudLink, cloudLinkQuery, useIsSelfHosted } from '../../cloud-queries.ts';
import { useMay } from '../../permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { BringHomeDialog } from './bring-home-dialog.tsx';
import { isPortable, whyNotPortable } from './portable.ts';
import { PromoteDialog } from './promote-dialog.tsx';
import { RemoveThereDialog } from './remove-there-dialog.tsx';
import { StillServing } from './still-serving.tsx';

type Task = 'promote' | 'bring-home' | 'remove';

/** The way of a project to the hosted cloud and back. Without a cloud there is nothing to say. */
export function CloudSection({ project }: { project: Project }) {
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

/** `isLinked` is not known at first: the cloud is asked too. */
function Meaning({ project, isLinked }: { project: Project; isLinked: boolean | undefined }): ReactNode {
  if (project.cloud === 'there')
    return 'It lives in the cloud. Each deployment goes there, with the settings and variables of here.';
  if (project.cloud === 'left' && isLinked === false)
    return 'It lives here again, and something of it is left in a cloud that is not linked any more. Link that cloud again to remove it, or leave it there.';
  if (project.cloud === 'left')
    return 'It lives here again. What is left of it in the cloud goes on serving until it is removed.';
  if (!isPortable(project)) return <span className="text-muted">{whyNotPortable(project)}</span>;
  return 'It lives here. It can be taken to the cloud and looked after from here as before.';
}

type ActionProps = { project: Project; isLinked: boolean; onTask: (task: Task) => void };

function Actions({ project, isLinked, onTask }: ActionProps) {
  const may = useMay();
  if (project.cloud === 'there')
    return may('project:write') && <Button onClick={() => onTask('bring-home')}>Bring it home</Button>;
  return (
    <div className="flex flex-wrap gap-2">
      {project.cloud === 'left' && may('project:admin') && (
        <Button onClick={() => onTask('remove')}>Remove it from the cloud</Button>
      )}
      {isLinked && isPortable(project) && may('deployment:write') && (
        <Button onClick={() => onTask('promote')}>Take it to the cloud</Button>
      )}
    </div>
  );
}

const Away = ({ link: { problem } }: { link: CloudLink }) => (
  <Notice kind="warn">
    <p className="font-medium">{asSentence(problem ?? 'the cloud does not answer')}</p>
    <p className="text-ink">What runs there goes on. A project can be brought home all the same.</p>
  </Notice>
);

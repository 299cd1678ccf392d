import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type CloudLink, cloudLinkQuery, useIsSelfHosted } from '../../cloud-queries.ts';
import { usePermissions } from '../../permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { CloudFacts } from './cloud-facts.tsx';
import { LinkCloudDialog } from './link-cloud-dialog.tsx';
import { UnlinkCloudDialog } from './unlink-cloud-dialog.tsx';

type Task = 'link' | 'unlink';

/** The cloud that the organization is linked to. Hidden in a cloud itself. */
export function CloudLinkSection() {
  const [task, setTask] = useState<Task>();
  const isSelfHosted = useIsSelfHosted();
  const link = useQuery({ ...cloudLinkQuery, enabled: isSelfHosted });
  if (!isSelfHosted) return null;
  const close = () => setTask(undefined);
  return (
    <div id="cloud" className="scroll-mt-20 sm:max-w-lg">
      <Section title="Cloud">
        <Loaded query={link} lines={2}>
          {(data) => (
            <>
              {data.linked ? (
                <CloudFacts link={data} isAsking={link.isFetching} askAgain={() => void link.refetch()} />
              ) : (
                <NotLinked />
              )}
              <Actions link={data} onTask={setTask} />
              {task === 'link' && <LinkCloudDialog link={data} onClose={close} />}
              {task === 'unlink' && <UnlinkCloudDialog link={data} onClose={close} />}
            </>
          )}
        </Loaded>
      </Section>
    </div>
  );
}

function NotLinked() {
  const may = usePermissions();
  return (
    <Card className="p-5 text-muted">
      <p>
        Not linked. An account in a hosted Mooring cloud can run projects with a git source. You still manage them from
        here.
      </p>
      {!may('organization:admin') && <p className="mt-2">An owner or admin can link one.</p>}
    </Card>
  );
}

function Actions({ link, onTask }: { link: CloudLink; onTask: (task: Task) => void }) {
  const may = usePermissions();
  if (!may('organization:admin')) return null;
  const isOwn = link.from === 'organization';
  return (
    <div className="mt-3 flex flex-wrap gap-2">
      {isOwn && <Button onClick={() => onTask('unlink')}>Unlink</Button>}
      <Button kind={link.linked ? 'secondary' : 'primary'} onClick={() => onTask('link')}>
        {!link.linked ? 'Link a cloud' : isOwn ? 'Replace the link' : 'Use another account'}
      </Button>
    </div>
  );
}

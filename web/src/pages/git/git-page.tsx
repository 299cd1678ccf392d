import { useQuery } from '@tanstack/react-query';
import { gitStatusQuery } from '../../githost-queries.ts';
import { usePermissions } from '../../permissions.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { ConnectionSection } from './connection-section.tsx';
import { GitTabs } from './git-tabs.tsx';
import { RepositoriesSection } from './repositories-section.tsx';

/** The git host: its connection, and the repositories to deploy. */
export function GitPage() {
  const may = usePermissions();
  const status = useQuery(gitStatusQuery);
  return (
    <Page
      title="Git"
      lead="Connect GitHub to deploy from repositories, and to redeploy projects on every push."
      tabs={<GitTabs />}
    >
      <Loaded query={status} lines={4}>
        {(data) => (
          <>
            <ConnectionSection status={data} />
            {data.state === 'connected' && may('githost:list') && <RepositoriesSection accounts={data.accounts} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

import { useInfiniteQuery } from '@tanstack/react-query';
import { deliveriesQuery } from '../../githost-queries.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { DeliveryItem } from './delivery-item.tsx';
import { GitTabs } from './git-tabs.tsx';

/** Webhook deliveries, newest first, with their results. */
export function DeliveriesPage() {
  const log = useInfiniteQuery(deliveriesQuery);
  return (
    <Page
      title="Git"
      lead="Webhook deliveries of the git host, newest first. They are kept for 30 days."
      tabs={<GitTabs />}
    >
      <div className="grid grid-cols-1 gap-5">
        <Loaded query={log} lines={6}>
          {({ pages }) => {
            const all = pages.flatMap(({ data }) => data);
            if (!all.length)
              return (
                <EmptyState icon="git" title="No deliveries yet">
                  Register a webhook on the page of a repository. Each push to it is then listed here, with the
                  deployments that it started.
                </EmptyState>
              );
            return (
              <Card>
                <ul aria-label="Webhook deliveries" className="divide-y divide-line">
                  {all.map((delivery) => (
                    <DeliveryItem key={delivery.id} delivery={delivery} />
                  ))}
                </ul>
              </Card>
            );
          }}
        </Loaded>
        <LoadMore query={log} />
      </div>
    </Page>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Deployment, previousReleaseQuery, stepsQuery } from '../../api.ts';
import { toDeployment } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { Icon } from '../../ui/icons.tsx';
import { Card } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { type ReleaseChange, changesBetween } from './changes.ts';
import { Mono } from './mono.tsx';

/** Differences to the previous release; empty if there was none. */
export function ChangesSection({ deployment }: { deployment: Deployment }) {
  const may = usePermissions();
  const { data: previous } = useQuery({ ...previousReleaseQuery(deployment), enabled: may('deployment:list') });
  return previous ? <Changes {...{ deployment, previous }} /> : null;
}

function Changes({ deployment, previous }: { deployment: Deployment; previous: Deployment }) {
  const now = useQuery(stepsQuery(deployment.id));
  const before = useQuery(stepsQuery(previous.id));
  if (!now.data || !before.data) return null;
  const changes = changesBetween(
    { deployment: previous, recipe: before.data.recipe },
    { deployment, recipe: now.data.recipe },
  );
  return (
    <Card>
      <details className="group">
        <summary className="flex list-none flex-wrap items-center gap-x-2 rounded-xl px-5 py-3 hover:bg-sunken [&::-webkit-details-marker]:hidden">
          <Icon name="right" size={16} className="text-muted transition-transform group-open:rotate-90" />
          <span className="font-medium">Changes since the previous release</span>
          <span className="min-w-0 truncate text-sm text-muted">{summaryOf(changes, deployment)}</span>
        </summary>
        <div className="border-t border-line px-5 py-4 text-sm">
          {changes.length > 0 && <ChangeList changes={changes} />}
          <p className="text-muted">
            Compared with{' '}
            <Link {...toDeployment(previous.id)} title={previous.id} className="rounded text-accent underline">
              the release created <Time at={previous.timing.createdAt} />
            </Link>
            . Variables are not compared.
          </p>
        </div>
      </details>
    </Card>
  );
}

function summaryOf(changes: ReleaseChange[], { commitSha }: Deployment): string {
  if (changes.length) return changes.map(({ title }) => title).join(', ');
  return commitSha ? 'Same commit, server and commands' : 'Same server and commands; uploaded files are not compared';
}

const ChangeList = ({ changes }: { changes: ReleaseChange[] }) => (
  <dl className="mb-4 grid grid-cols-1 gap-x-6 gap-y-3 sm:grid-cols-[auto_1fr]">
    {changes.map(({ title, before, after, isCode }) => (
      <div key={title} className="contents">
        <dt className="text-muted">{title}</dt>
        <dd className="min-w-0 [overflow-wrap:anywhere]">
          <Value text={before} isCode={isCode} isOld /> <span className="sr-only">became</span>
          <span aria-hidden="true" className="text-muted">
            →
          </span>{' '}
          <Value text={after} isCode={isCode} />
        </dd>
      </div>
    ))}
  </dl>
);

function Value({ text, isCode, isOld }: { text: string | null; isCode?: boolean | undefined; isOld?: boolean }) {
  if (text === null) return <span className="text-muted">none</span>;
  return <span className={isOld ? 'text-muted' : ''}>{isCode ? <Mono>{text}</Mono> : text}</span>;
}

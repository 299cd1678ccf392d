import { ApiError } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { projectQuery } from '../../api.ts';
import { toFiles, toProject } from '../../paths.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { filesQuery, type VolumeRef } from '../../volume-queries.ts';
import { production } from '../projects/environments.ts';
import { FileTable } from './file-table.tsx';

/** The files of a volume, folder by folder. */
export function FilesPage() {
  const { id: projectId, name } = useParams({ from: '/signed-in/projects/$id/volumes/$name' });
  const { environment = production, path = '' } = useSearch({ from: '/signed-in/projects/$id/volumes/$name' });
  const place = { projectId, name, environment };
  const files = useQuery(filesQuery(place, path));
  const isMissing = files.error instanceof ApiError && files.error.status === 404;
  return (
    <Page
      title={name}
      lead={environment === production ? 'Files of this volume' : `Files of this volume in ${environment}`}
    >
      <div className="grid grid-cols-1 gap-4">
        <Breadcrumb place={place} path={path} />
        {isMissing ? (
          <Missing isTop={path === ''} />
        ) : (
          <Loaded query={files}>
            {({ data, truncated }) => (
              <>
                {truncated && <Notice kind="warn">There are more files than the {data.length} listed here.</Notice>}
                {data.length ? (
                  <FileTable key={path} place={place} path={path} entries={data} />
                ) : (
                  <EmptyState icon="folder" title="This folder is empty">
                    Your app has not written anything into it yet.
                  </EmptyState>
                )}
              </>
            )}
          </Loaded>
        )}
      </div>
    </Page>
  );
}

const Missing = ({ isTop }: { isTop: boolean }) =>
  isTop ? (
    <EmptyState icon="folder" title="No files here">
      The volume is created by the deployment that mounts it first. If it was there before, it has been deleted.
    </EmptyState>
  ) : (
    <EmptyState icon="folder" title="There is no such folder">
      It may have been renamed or deleted by your app.
    </EmptyState>
  );

function Breadcrumb({ place, path }: { place: VolumeRef; path: string }) {
  const { data: project } = useQuery(projectQuery(place.projectId));
  const names = path.split('/').filter(Boolean);
  return (
    <nav aria-label="Breadcrumb">
      <ol className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
        <Crumb link={toProject(place.projectId)}>{project?.name ?? 'Project'}</Crumb>
        <Crumb link={names.length ? toFiles(place) : undefined}>{place.name}</Crumb>
        {names.map((name, index) => {
          const folder = names.slice(0, index + 1).join('/');
          return (
            <Crumb key={folder} link={index < names.length - 1 ? toFiles(place, folder) : undefined}>
              {name}
            </Crumb>
          );
        })}
      </ol>
    </nav>
  );
}

type CrumbLink = ReturnType<typeof toProject> | ReturnType<typeof toFiles>;

/** Without a link it is the current folder. */
const Crumb = ({ link, children }: { link: CrumbLink | undefined; children: ReactNode }) => (
  <li className="flex min-w-0 items-center gap-2 not-first:before:text-muted not-first:before:content-['/']">
    {link ? (
      <Link {...link} className="rounded text-accent [overflow-wrap:anywhere] hover:underline">
        {children}
      </Link>
    ) : (
      <span aria-current="page" className="font-medium [overflow-wrap:anywhere]">
        {children}
      </span>
    )}
  </li>
);

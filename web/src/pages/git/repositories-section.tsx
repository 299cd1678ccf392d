import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { SelectField } from '../../forms/select-field.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { type GitAccount, repositoriesQuery, type Repository } from '../../githost-queries.ts';
import { type GitSearch, toGit } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { NewRepositoryDialog, useOwners } from './new-repository-dialog.tsx';
import { RepositoryTable } from './repository-table.tsx';

const pageSize = 20;

/** The repositories that the connection can access. Search, account and page are part of the URL. */
export function RepositoriesSection({ accounts }: { accounts: GitAccount[] }) {
  const search = useSearch({ from: '/signed-in/git' });
  const navigate = useNavigate();
  const go = (change: GitSearch) => void navigate({ ...toGit({ ...search, ...change }), replace: true });
  const owners = useOwners(accounts);
  const repositories = useQuery(repositoriesQuery);
  const aside = owners.length > 0 && (
    <Button size="small" onClick={() => go({ create: true })}>
      <Icon name="plus" size={15} />
      New repository
    </Button>
  );
  return (
    <Section title="Repositories" aside={aside}>
      <Loaded query={repositories} lines={6}>
        {(all) => (
          <div className="grid grid-cols-1 gap-4">
            {all.length > 0 && <Filter repositories={all} search={search} onChange={go} />}
            <Found all={all} search={search} onPage={(page) => go({ page: page > 1 ? page : undefined })} />
          </div>
        )}
      </Loaded>
      {search.create && owners.length > 0 && (
        <NewRepositoryDialog owners={owners} onClose={() => go({ create: undefined })} />
      )}
    </Section>
  );
}

type FilterProps = { repositories: Repository[]; search: GitSearch; onChange: (change: GitSearch) => void };

function Filter({ repositories, search, onChange }: FilterProps) {
  const owners = [...new Set(repositories.map(({ owner }) => owner))].toSorted();
  return (
    <div className="flex flex-wrap gap-3">
      <div className="min-w-0 flex-1 basis-60">
        <TextField
          bare
          type="search"
          label="Search repositories"
          name="search"
          placeholder="Search repositories"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={search.search ?? ''}
          onChange={({ target }) => onChange({ search: target.value || undefined, page: undefined })}
        />
      </div>
      {owners.length > 1 && (
        <div className="w-full sm:w-56">
          <SelectField
            bare
            label="Account"
            name="owner"
            options={[{ value: '', title: 'All accounts' }, ...owners.map((owner) => ({ value: owner, title: owner }))]}
            value={search.owner ?? ''}
            onChange={(owner) => onChange({ owner: owner || undefined, page: undefined })}
          />
        </div>
      )}
    </div>
  );
}

type FoundProps = { all: Repository[]; search: GitSearch; onPage: (page: number) => void };

function Found({ all, search, onPage }: FoundProps) {
  const found = all.filter((each) => matches(each, search)).toSorted(newestFirst);
  if (!all.length)
    return (
      <EmptyState icon="git" title="No repositories">
        The connected accounts have no repositories that you can see. Check at the git host which ones the app may use.
      </EmptyState>
    );
  if (!found.length)
    return (
      <EmptyState icon="search" title="No repository matches">
        Try another word or another account.
      </EmptyState>
    );
  const pages = Math.ceil(found.length / pageSize);
  const page = Math.min(search.page ?? 1, pages);
  const shown = found.slice((page - 1) * pageSize, page * pageSize);
  return (
    <>
      <RepositoryTable repositories={shown} />
      {pages > 1 && (
        <nav aria-label="Pages" className="flex items-center justify-between gap-4 text-sm text-muted">
          <span>
            {(page - 1) * pageSize + 1}–{(page - 1) * pageSize + shown.length} of {found.length}
          </span>
          <span className="flex gap-2">
            <Button size="small" disabled={page === 1} onClick={() => onPage(page - 1)}>
              Previous
            </Button>
            <Button size="small" disabled={page === pages} onClick={() => onPage(page + 1)}>
              Next
            </Button>
          </span>
        </nav>
      )}
    </>
  );
}

function matches({ owner, fullName, description }: Repository, { search, owner: wanted }: GitSearch): boolean {
  const words = (search ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const text = `${fullName} ${description ?? ''}`.toLowerCase();
  return (!wanted || owner === wanted) && words.every((word) => text.includes(word));
}

const newestFirst = (one: Repository, other: Repository) =>
  (other.pushedAt ?? '').localeCompare(one.pushedAt ?? '') || one.fullName.localeCompare(other.fullName);

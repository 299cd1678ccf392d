import { type Schemas, unwrap } from '@mooring/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api.ts';
import { Form, FormActions, formError } from '../../forms/form.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { toGit } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { buttonLook } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Card, Section } from '../../ui/page.tsx';

type Repository = Schemas['GitHostRepository'];
type Place = { repo: string } | { url: string; branch?: string };
type Props = { onRepository: (place: Place) => void };

const homeQuery = queryOptions({
  queryKey: ['githost', 'home'],
  queryFn: async () => await unwrap(client.GET('/api/githost/home')),
});

/** A repository of the connected git host, or any other by its URL. */
export function GitSource({ onRepository }: Props) {
  const may = usePermissions();
  return (
    <>
      <Section title="Any repository">
        <Card className="p-5">
          <ByUrl onRepository={onRepository} />
        </Card>
      </Section>
      {may('githost:read') && <Connected onRepository={onRepository} />}
    </>
  );
}

function ByUrl({ onRepository }: Props) {
  const [error, setError] = useState<Error>();
  return (
    <Form
      change={{ error, isPending: false }}
      onSubmit={(value) => {
        const url = value('url').trim();
        const branch = value('branch').trim();
        if (url) onRepository({ url, ...(branch && { branch }) });
        else setError(formError('must not be empty', 'url'));
      }}
    >
      <div className="grid gap-5 sm:grid-cols-[minmax(0,1fr)_12rem]">
        <TextField
          label="URL"
          name="url"
          placeholder="https://github.com/acme/shop"
          hint="Public repositories need nothing else. For private ones connect your git host, or add a deploy key later."
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
          required
        />
        <TextField label="Branch" name="branch" placeholder="default" autoCapitalize="none" spellCheck={false} />
      </div>
      <FormActions submit="Continue" />
    </Form>
  );
}

function Connected({ onRepository }: Props) {
  const may = usePermissions();
  const home = useQuery(homeQuery);
  return (
    <Section title="Your repositories">
      <Loaded query={home} lines={4}>
        {({ repos, state }) =>
          repos.length ? (
            <Repositories repositories={repos} onRepository={onRepository} />
          ) : (
            <Card className="flex flex-wrap items-center justify-between gap-4 p-5">
              <p className="text-muted">
                {state === 'connected'
                  ? 'The connected account has no repositories that Mooring may see.'
                  : 'Connect your git host to choose from your repositories, private ones too, and to deploy each push.'}
              </p>
              {state !== 'connected' && may('githost:write') && (
                <Link {...toGit()} className={buttonLook()}>
                  Connect a git host
                </Link>
              )}
            </Card>
          )
        }
      </Loaded>
    </Section>
  );
}

function Repositories({ repositories, onRepository }: { repositories: Repository[] } & Props) {
  const [words, setWords] = useState('');
  const shown = repositories.filter(({ owner, name }) =>
    `${owner}/${name}`.toLowerCase().includes(words.toLowerCase()),
  );
  return (
    <Card className="overflow-hidden">
      <div className="relative border-b border-line p-3">
        <Icon name="search" size={16} className="absolute top-6 left-6 text-muted" />
        <input
          type="search"
          aria-label="Search repositories"
          placeholder="Search"
          value={words}
          onChange={(event) => setWords(event.target.value)}
          className="control !pl-9"
        />
      </div>
      <ul className="max-h-96 divide-y divide-line overflow-y-auto">
        {shown.map(({ owner, name, private: isPrivate }) => (
          <li key={`${owner}/${name}`}>
            <button
              type="button"
              onClick={() => onRepository({ repo: `${owner}/${name}` })}
              className="flex w-full items-center justify-between gap-4 px-5 py-3 text-left -outline-offset-2 hover:bg-sunken"
            >
              <span className="flex min-w-0 items-center gap-2">
                <span className="truncate font-medium">
                  {owner}/{name}
                </span>
                {isPrivate && <Badge>Private</Badge>}
              </span>
              <Icon name="right" size={16} className="text-muted" />
            </button>
          </li>
        ))}
      </ul>
      {!shown.length && <p className="p-5 text-muted">No repository has this in its name.</p>}
    </Card>
  );
}

import { ApiError, unwrap } from '@mooring/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, type Project, sentenceOf, useChange } from '../../api.ts';
import { Form, FormActions, type FormValues } from '../../forms/form.tsx';
import { SelectField } from '../../forms/select-field.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { type SettingsProps, useSaveSettings } from './save-settings.ts';

type Source = Project['source'];
type Kind = 'githost' | 'git' | 'upload';

/** The source of the code, and whether pushes are deployed. */
export function SourceSettings(of: SettingsProps) {
  const { source, autoDeploy } = of.project;
  const save = useSaveSettings(of);
  const [kind, setKind] = useState<Kind>(source.type === 'githost' || source.type === 'git' ? source.type : 'upload');
  const [isAutomatic, setIsAutomatic] = useState(autoDeploy);
  if (source.type === 'services' || source.type === 'local') return null;
  const branch = 'branch' in source ? source.branch : undefined;
  return (
    <Section title="Source">
      <Card className="grid gap-5 p-5">
        <Form
          change={save}
          onSubmit={(value) => save.mutate({ source: sourceIn(kind, value), autoDeploy: isAutomatic })}
        >
          <div className="grid gap-5 sm:grid-cols-2">
            <SelectField
              label="Comes from"
              name="kind"
              options={[
                { value: 'githost', title: 'A repository of the connected git host' },
                { value: 'git', title: 'Any git repository' },
                { value: 'upload', title: 'Uploaded folders' },
              ]}
              value={kind}
              onChange={setKind}
            />
            {kind === 'githost' && (
              <TextField
                label="Repository"
                name="repo"
                placeholder="acme/shop"
                defaultValue={source.type === 'githost' ? `${source.owner}/${source.repo}` : ''}
                autoCapitalize="none"
                spellCheck={false}
              />
            )}
            {kind === 'git' && (
              <TextField
                label="URL"
                name="url"
                placeholder="https://example.org/shop.git"
                defaultValue={source.type === 'git' ? source.url : ''}
                autoCapitalize="none"
                spellCheck={false}
              />
            )}
            {kind !== 'upload' && (
              <TextField
                label="Branch"
                name="branch"
                placeholder="the default branch"
                defaultValue={branch ?? ''}
                autoCapitalize="none"
                spellCheck={false}
              />
            )}
            {kind === 'githost' && (
              <div className="self-center">
                <Checkbox checked={isAutomatic} onChange={setIsAutomatic}>
                  Deploy each push to the branch
                </Checkbox>
              </div>
            )}
          </div>
          <FormActions submit="Save" />
        </Form>
        {source.type === 'githost' && <Followed projectId={of.project.id} />}
        {source.type === 'git' && /^(ssh:|[^/]+@)/.test(source.url) && <DeployKey projectId={of.project.id} />}
      </Card>
    </Section>
  );
}

function sourceIn(kind: Kind, value: FormValues): Source {
  const branch = value('branch').trim();
  const of = branch ? { branch } : {};
  if (kind === 'git') return { type: 'git', url: value('url').trim(), ...of };
  const [owner = '', repo = ''] = value('repo').trim().split('/');
  return kind === 'githost' ? { type: 'githost', owner, repo, ...of } : { type: 'upload' };
}

const linkQuery = (id: string) =>
  queryOptions({
    queryKey: ['project', id, 'link'],
    queryFn: async () => (await unwrap(client.GET('/api/projects/{id}/link', { params: { path: { id } } }))).data,
  });

/** How Mooring is notified of pushes. */
function Followed({ projectId }: { projectId: string }) {
  const { data: link } = useQuery(linkQuery(projectId));
  if (!link) return null;
  if (link.problem) return <Notice kind="warn">The repository cannot be followed: {link.problem}</Notice>;
  return (
    <p className="text-sm text-muted">
      {link.announced ? 'A webhook reports pushes.' : 'Mooring polls the branch for new commits.'}
      {link.checkedAt && (
        <>
          {' '}
          Last looked <Time at={link.checkedAt} />.
        </>
      )}
    </p>
  );
}

const deployKeyQuery = (id: string) =>
  queryOptions({
    queryKey: ['project', id, 'deploy-key'],
    queryFn: async () => {
      try {
        return (await unwrap(client.GET('/api/projects/{id}/deploy-key', { params: { path: { id } } }))).data;
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
  });

/** A key with read access to a private repository over SSH. */
function DeployKey({ projectId: id }: { projectId: string }) {
  const params = { path: { id } };
  const { data: key } = useQuery(deployKeyQuery(id));
  const create = useChange(() => unwrap(client.POST('/api/projects/{id}/deploy-key', { params })));
  const remove = useChange(() => unwrap(client.DELETE('/api/projects/{id}/deploy-key', { params })));
  const error = create.error ?? remove.error;
  return (
    <div className="grid gap-3 border-t border-line pt-5">
      {key ? (
        <CopyField label="Deploy key: add it to the repository, with read access" value={key.publicKey} />
      ) : (
        <p className="text-sm text-muted">A private repository over SSH needs a deploy key.</p>
      )}
      <div className="flex gap-2">
        <Button size="small" busy={create.isPending} onClick={() => create.mutate(undefined)}>
          {key ? 'Create a new key' : 'Create a deploy key'}
        </Button>
        {key && (
          <Button size="small" busy={remove.isPending} onClick={() => remove.mutate(undefined)}>
            Delete the key
          </Button>
        )}
      </div>
      {error && (
        <Notice kind="danger" alert>
          {sentenceOf(error)}
        </Notice>
      )}
    </div>
  );
}

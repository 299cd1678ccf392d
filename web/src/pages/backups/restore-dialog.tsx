import { unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client, projectsQuery, useChange } from '../../api.ts';
import type { Backup, RestoreBody } from '../../backup-queries.ts';
import { ChoiceField } from '../../forms/choice-field.tsx';
import { exactText } from '../../forms/exact-text.ts';
import { Form, FormActions, type FormValues } from '../../forms/form.tsx';
import { SelectField } from '../../forms/select-field.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { toRestore } from '../../paths.ts';
import { exactTime } from '../../times.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { NameToConfirm } from '../volumes/removal.tsx';
import { sourceTitle } from './backup-words.ts';

type Target = RestoreBody['target'];
type Props = { backup: Backup; projectName: string | undefined; onClose: () => void };

const targets: { value: Target; title: string; means: string }[] = [
  { value: 'scratch', title: 'Scratch place', means: 'Restore to a place that nothing uses, to look at the data.' },
  {
    value: 'new-volume',
    title: 'New volumes and databases',
    means: 'Beside the current ones, which stay as they are.',
  },
  { value: 'in-place', title: 'In place', means: 'Replace the current data. Can be undone.' },
];

/** Chooses what to restore and where, says what will happen, and starts it. */
export function RestoreDialog({ backup, projectName, onClose }: Props) {
  const archives = [...new Map(backup.archives.map((archive) => [archive.name, archive])).values()];
  const { data: projects = [] } = useQuery(projectsQuery);
  const navigate = useNavigate();
  const [target, setTarget] = useState<Target>('scratch');
  const [sources, setSources] = useState(archives.map(({ name }) => name));
  const [projectId, setProjectId] = useState(backup.projectId ?? '');
  const [typed, setTyped] = useState('');
  const project = projects.find(({ id }) => id === projectId)?.name ?? projectName ?? projectId;
  const restore = useChange(async (body: RestoreBody) => {
    const params = { path: { id: backup.id } };
    const { data } = await unwrap(client.POST('/api/backups/{id}/restore', { params, body }));
    await navigate(toRestore(data.id));
  });
  const isInPlace = target === 'in-place';
  const chosen = archives.filter(({ name }) => sources.includes(name));
  const onSubmit = (value: FormValues) =>
    restore.mutate({
      target,
      ...(projectId !== backup.projectId && { projectId }),
      ...(sources.length < archives.length && { sources }),
      ...(target === 'new-volume' && { names: namesIn(value, sources) }),
      ...(!isInPlace && value('path') && { path: value('path') }),
      ...(target === 'scratch' && value('query') && { query: value('query') }),
      ...(isInPlace && { confirm: true }),
    });
  const toggle = (name: string, on: boolean) =>
    setSources(archives.map((each) => each.name).filter((each) => (each === name ? on : sources.includes(each))));
  return (
    <Dialog title="Restore" lead={`From the backup of ${exactTime(backup.createdAt)}.`} wide onClose={onClose}>
      <Form change={restore} onSubmit={onSubmit}>
        <fieldset name="sources" className="min-w-0">
          <legend className="mb-1.5 text-sm font-medium">Sources</legend>
          <ul className="grid grid-cols-1 gap-2.5">
            {archives.map(({ name, source }) => (
              <li key={name}>
                <Checkbox checked={sources.includes(name)} onChange={(on) => toggle(name, on)}>
                  {sourceTitle(source)}
                </Checkbox>
              </li>
            ))}
          </ul>
        </fieldset>
        <ChoiceField label="Target" name="target" choices={targets} value={target} onChange={setTarget} />
        {projects.length > 1 && (
          <SelectField
            label="Project"
            name="projectId"
            options={projects.map(({ id, name }) => ({ value: id, title: name }))}
            value={projectId}
            onChange={setProjectId}
          />
        )}
        {target === 'new-volume' &&
          chosen.map(({ name, source }) => (
            <TextField
              key={name}
              label={`New name of ${sourceTitle(source).toLowerCase()}`}
              name={`names.${name}`}
              {...exactText}
              hint="A name with today's date if empty."
            />
          ))}
        {!isInPlace && chosen.some(({ source }) => source.type === 'volume') && (
          <TextField
            label="Path"
            name="path"
            {...exactText}
            hint="One file or folder of a volume. Everything if empty."
          />
        )}
        {target === 'scratch' && chosen.some(({ source }) => source.type === 'database') && (
          <TextField
            label="Query"
            name="query"
            {...exactText}
            placeholder="select count(*) from orders"
            hint="Read-only. Its result is shown as the proof. Optional."
          />
        )}
        <WhatHappens target={target} project={project} sources={chosen.map(({ source }) => sourceTitle(source))} />
        {isInPlace && <NameToConfirm name={project} value={typed} onChange={setTyped} />}
        <FormActions
          submit={isInPlace ? 'Replace the data' : 'Restore'}
          isReady={sources.length > 0 && (!isInPlace || typed === project)}
        >
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}

const namesIn = (value: FormValues, sources: string[]): Record<string, string> =>
  Object.fromEntries(sources.map((name) => [name, value(`names.${name}`).trim()]).filter(([, given]) => given));

function WhatHappens({ target, project, sources }: { target: Target; project: string; sources: string[] }) {
  return (
    <section className="rounded-lg bg-sunken px-4 py-3 text-sm">
      <h3 className="font-medium">What will happen</h3>
      <ol className="mt-1.5 grid list-decimal gap-1 pl-5">
        {stepsOf(target, project, sources.join(' and ').toLowerCase() || 'nothing').map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </section>
  );
}

const checked = 'Mooring reads the archives and compares their checksums, before it changes anything.';

function stepsOf(target: Target, project: string, what: string): string[] {
  if (target === 'scratch')
    return [
      checked,
      `It restores ${what} to a place that nothing uses. ${project} is not affected.`,
      'It removes that place after a day.',
    ];
  if (target === 'new-volume')
    return [
      checked,
      `It restores ${what} to ${project} under new names. The current data stays as it is.`,
      'To use them, mount the new volumes or change the name of the database in your settings.',
    ];
  return [
    checked,
    'It takes a backup of the current data.',
    `It stops the services of ${project} that use the data, replaces ${what}, and starts them again. They are not reachable meanwhile.`,
    'If a step fails, the previous data is restored. Afterwards you can undo the restore on its page.',
  ];
}

import { formatBytes, unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client, projectsQuery, useChange } from '../../api.ts';
import { importArchive } from '../../backup-queries.ts';
import { destinationsQuery } from '../../destination-queries.ts';
import { Field } from '../../forms/field.tsx';
import { FileTextField } from '../../forms/file-text-field.tsx';
import { Form, FormActions } from '../../forms/form.tsx';
import { SelectField } from '../../forms/select-field.tsx';
import { toBackup } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';

/** Opens the dialog that imports an archive. */
export function ImportButton({ projectId }: { projectId: string | undefined }) {
  const may = usePermissions();
  const [isOpen, setIsOpen] = useState(false);
  const { data: destinations } = useQuery({ ...destinationsQuery, enabled: may('backup_destination:list') });
  if (!may('backup:admin') || !destinations?.length) return null;
  return (
    <>
      <Button size="small" className="text-ink" onClick={() => setIsOpen(true)}>
        Import archive
      </Button>
      {isOpen && <ImportDialog projectId={projectId} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function ImportDialog({ projectId: own, onClose }: { projectId: string | undefined; onClose: () => void }) {
  const { data: projects = [] } = useQuery(projectsQuery);
  const { data: destinations = [] } = useQuery(destinationsQuery);
  const navigate = useNavigate();
  const toast = useToast();
  const [file, setFile] = useState<File>();
  const [chosenProject, setProject] = useState<string>();
  const [chosenDestination, setDestination] = useState<string>();
  const projectId = own ?? chosenProject ?? projects[0]?.id ?? '';
  const usual = destinations.find(({ isDefault }) => isDefault) ?? destinations[0];
  const destinationId = chosenDestination ?? usual?.id ?? '';
  const save = useChange(async ({ archive, identities }: { archive: File; identities: string }) => {
    if (identities) await unwrap(client.POST('/api/backup-keys/import', { body: { identities } }));
    const { id } = await importArchive({ projectId, destinationId, file: archive });
    toast('Archive imported');
    await navigate(toBackup(id));
  });
  const choose = (chosen: File | undefined) => {
    save.reset();
    setFile(chosen);
  };
  const options = (all: { id: string; name: string }[]) => all.map(({ id, name }) => ({ value: id, title: name }));
  return (
    <Dialog
      title="Import an archive"
      lead="Stores an archive of this or another instance as a backup, which you can restore. It is read to its end first."
      onClose={onClose}
    >
      <Form
        change={save}
        onSubmit={(value) => file && save.mutate({ archive: file, identities: value('identities').trim() })}
      >
        <Field label="Archive" name="archive" hint="A file that ends with .tar.zst.age, or .tar.zst if not encrypted.">
          {(control) => (
            <input {...control} type="file" onChange={({ target }) => choose(target.files?.[0])} required />
          )}
        </Field>
        {own === undefined && (
          <SelectField
            label="Project"
            name="projectId"
            options={options(projects)}
            value={projectId}
            onChange={setProject}
          />
        )}
        <SelectField
          label="Destination"
          name="destinationId"
          options={options(destinations)}
          value={destinationId}
          onChange={setDestination}
        />
        {file?.name.endsWith('.age') && (
          <FileTextField
            label="Key of another instance"
            name="identities"
            rows={2}
            placeholder="AGE-SECRET-KEY-1…"
            hint="If the archive was encrypted with a key that this organization does not have. It is added to the keys."
          />
        )}
        <FormActions
          submit={file ? `Import ${formatBytes(file.size)}` : 'Import'}
          isReady={Boolean(file && projectId && destinationId)}
        >
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}

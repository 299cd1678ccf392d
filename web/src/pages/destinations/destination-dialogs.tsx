import { unwrap } from '@mooring/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, healthQuery, useChange } from '../../api.ts';
import {
  type Destination,
  type DestinationBody,
  type DestinationKind,
  destinationKindsQuery,
} from '../../destination-queries.ts';
import { ChoiceField } from '../../forms/choice-field.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { useToast } from '../../ui/toast.tsx';
import { DestinationForm, type DestinationFormValues } from './destination-form.tsx';
import { destinationBodyOf, destinationChangesOf } from './destination-values.ts';
import { useBeginPreflight, useMayTest } from './preflight.ts';

/** A preflight runs before the destination has a name, too. */
const nameForTest = 'Preflight';

export function AddDestinationDialog({ onClose }: { onClose: () => void }) {
  const kinds = useQuery(destinationKindsQuery);
  return (
    <Dialog
      title="Add a backup destination"
      lead="Storage that backup archives are written to. Credentials are stored encrypted and never shown again."
      wide
      onClose={onClose}
    >
      <Loaded query={kinds} lines={5}>
        {(all) => <AddForm kinds={all} onClose={onClose} />}
      </Loaded>
    </Dialog>
  );
}

function AddForm({ kinds: all, onClose }: { kinds: DestinationKind[]; onClose: () => void }) {
  const { data: health } = useQuery(healthQuery);
  // In cloud mode nobody who signs in owns the machine.
  const kinds = all.filter(({ kind }) => kind !== 'local' || health?.mode === 'self-hosted');
  const [name, setName] = useState(kinds[0]!.kind);
  const kind = kinds.find((each) => each.kind === name)!;
  const toast = useToast();
  const beginPreflight = useBeginPreflight();
  const save = useChange(async ({ values, isDefault }: DestinationFormValues) => {
    const body = destinationBodyOf(kind, values, isDefault);
    const { data } = await unwrap(client.POST('/api/backup-destinations', { body }));
    toast(`${data.name} added`);
    onClose();
    beginPreflight(data.id);
  });
  const test = useTest(({ values, isDefault }) => destinationBodyOf(kind, values, isDefault));
  const choices = kinds.map(({ kind: value, label: title, help: means }) => ({ value, title, means }));
  const choose = (value: string) => {
    save.reset();
    test.reset();
    setName(value);
  };
  return (
    <DestinationForm kind={kind} save={save} test={test} submit="Add destination" onClose={onClose}>
      <ChoiceField label="Kind" name="kind" choices={choices} value={name} onChange={choose} />
    </DestinationForm>
  );
}

type EditProps = { destination: Destination; onClose: () => void };

export function EditDestinationDialog({ destination, onClose }: EditProps) {
  const kinds = useQuery(destinationKindsQuery);
  return (
    <Dialog
      title={`Edit ${destination.name}`}
      lead="The next backup uses the new settings. Archives that are stored already stay where they are."
      wide
      onClose={onClose}
    >
      <Loaded query={kinds} lines={5}>
        {(all) => (
          <EditForm
            kind={all.find(({ kind }) => kind === destination.kind)!}
            destination={destination}
            onClose={onClose}
          />
        )}
      </Loaded>
    </Dialog>
  );
}

function EditForm({ kind, destination, onClose }: EditProps & { kind: DestinationKind }) {
  const { id } = destination;
  const mayTest = useMayTest()(destination);
  const toast = useToast();
  const beginPreflight = useBeginPreflight();
  const save = useChange(async ({ values, ...rest }: DestinationFormValues) => {
    const body = destinationChangesOf(destination, kind, values, rest);
    const { data } = await unwrap(client.PATCH('/api/backup-destinations/{id}', { params: { path: { id } }, body }));
    toast(`${data.name} changed`);
    onClose();
    if (mayTest) beginPreflight(id);
  });
  const test = useTest(({ values, ...rest }) => ({
    id,
    kind: kind.kind,
    ...destinationChangesOf(destination, kind, values, rest),
  }));
  return (
    <DestinationForm
      kind={kind}
      destination={destination}
      save={save}
      test={mayTest ? test : undefined}
      submit="Save changes"
      onClose={onClose}
    />
  );
}

/** A preflight of the form's values; it stores nothing. */
const useTest = (bodyOf: (filled: DestinationFormValues) => DestinationBody & { id?: string }) =>
  useMutation({
    mutationFn: (filled: DestinationFormValues) => {
      const body = bodyOf(filled);
      return unwrap(
        client.POST('/api/backup-destinations/preflight', { body: { ...body, name: body.name || nameForTest } }),
      );
    },
  });

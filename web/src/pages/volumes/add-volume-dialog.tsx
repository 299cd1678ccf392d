import { unwrap } from '@mooring/client';
import { useState } from 'react';
import { client, useChange } from '../../api.ts';
import { FoldedFields } from '../../forms/folded-fields.tsx';
import { Form, FormActions } from '../../forms/form.tsx';
import { SelectField } from '../../forms/select-field.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import type { Volume } from '../../volume-queries.ts';
import { EnvironmentField } from '../projects/environment-field.tsx';
import { production, useServices } from '../projects/environments.ts';
import { OverlapField, PathField } from './volume-fields.tsx';
import { isUnnamed, shownName } from './volume-words.ts';
import { exactText } from '../../forms/exact-text.ts';

type Props = {
  projectId: string;
  /** Mounts this data again instead of starting with an empty folder. */
  orphan?: Volume;
  onClose: () => void;
};

export function AddVolumeDialog({ projectId, orphan, onClose }: Props) {
  const isNamed = orphan !== undefined && !isUnnamed(orphan);
  const [environment, setEnvironment] = useState(orphan?.environment ?? production);
  const [overlap, setOverlap] = useState(orphan?.overlap ?? false);
  const services = useServices(projectId, environment);
  const [service, setService] = useState(orphan?.service ?? '');
  const add = useAddVolume(projectId, onClose);
  const from = orphan && !isNamed ? { from: orphan.name } : {};
  return (
    <Dialog
      title={orphan ? `Mount ${shownName(orphan)} again` : 'Add a volume'}
      lead={
        orphan
          ? 'The next deployment mounts it with the data that it has.'
          : 'The next deployment mounts it. A removed volume of the same name comes back with its data.'
      }
      onClose={onClose}
    >
      <Form
        change={add}
        onSubmit={(value) => {
          const name = value('name').trim();
          const chosen = services.includes(service) ? { service } : {};
          add.mutate({ name, path: value('path').trim(), environment, overlap, ...chosen, ...from });
        }}
      >
        <TextField
          label="Name"
          name="name"
          placeholder="data"
          hint={isNamed ? undefined : 'Letters, digits, dots, dashes and underscores.'}
          {...exactText}
          defaultValue={isNamed ? orphan.name : ''}
          readOnly={isNamed}
          autoFocus={!isNamed}
          required
        />
        <PathField path={orphan?.path ?? ''} autoFocus={isNamed} />
        {services.length > 0 && (
          <SelectField
            label="Service"
            name="service"
            options={[
              { value: '', title: 'Choose a service' },
              ...services.map((each) => ({ value: each, title: each })),
            ]}
            value={services.includes(service) ? service : ''}
            onChange={setService}
          />
        )}
        <FoldedFields
          title="Advanced"
          means={orphan ? 'Overlap' : 'Environment, overlap'}
          names={['environment', 'overlap']}
          startsOpen={overlap}
        >
          {!orphan && <EnvironmentField projectId={projectId} value={environment} onChange={setEnvironment} />}
          <OverlapField value={overlap} onChange={setOverlap} />
        </FoldedFields>
        <FormActions submit={orphan ? 'Mount again' : 'Add volume'}>
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}

export type NewVolume = {
  name: string;
  path: string;
  environment: string;
  overlap: boolean;
  service?: string;
  from?: string;
};

export function useAddVolume(id: string, onClose: () => void) {
  const toast = useToast();
  return useChange(async (body: NewVolume) => {
    const { data } = await unwrap(client.POST('/api/projects/{id}/volumes', { params: { path: { id } }, body }));
    toast(data.pending ? `The next deployment mounts ${data.name}` : `${data.name} stays mounted`);
    onClose();
  });
}

import { unwrap } from '@mooring/client';
import { useState } from 'react';
import { client, useChange } from '../../api.ts';
import { Field } from '../../forms/field.tsx';
import { Form, FormActions, useClearError } from '../../forms/form.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import type { ServiceState } from './service-state.ts';

type Props = {
  projectId: string;
  environment: string;
  service: ServiceState;
  hint: string;
  /** Called once the API has accepted the number. */
  onScaled: (replicas: number) => void;
  onClose: () => void;
};

const lead =
  'A replica is one running copy of a service; the edge sends each request to the replica with the fewest open requests.';
const least = 1;
const most = 50;

export function ScaleDialog({ projectId: id, environment, service, hint, onScaled, onClose }: Props) {
  const [text, setText] = useState(`${service.next ?? service.wanted}`);
  const scale = useChange(async (replicas: number) => {
    const body = { service: service.name, replicas, environment };
    const { data } = await unwrap(client.POST('/api/projects/{id}/scale', { params: { path: { id } }, body }));
    onScaled(data.replicas);
    onClose();
  });
  return (
    <Dialog title={`Scale ${service.name}`} lead={lead} onClose={onClose}>
      <Form change={scale} onSubmit={() => scale.mutate(Number(text))}>
        <ReplicasField value={text} onChange={setText} hint={hint} />
        <FormActions submit={text ? `Scale to ${text}` : 'Scale'}>
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}

type FieldProps = { value: string; onChange: (value: string) => void; hint: string };

function ReplicasField({ value, onChange, hint }: FieldProps) {
  const forget = useClearError();
  const name = 'replicas';
  const step = (by: number) => {
    forget(name);
    onChange(`${Math.min(most, Math.max(least, Number(value) + by))}`);
  };
  return (
    <Field label="Replicas" name={name} hint={hint}>
      {({ className, ...control }) => (
        <span className="flex gap-2">
          <Button aria-label="One replica less" disabled={Number(value) <= least} onClick={() => step(-1)}>
            <Icon name="minus" size={16} />
          </Button>
          <input
            {...control}
            type="number"
            min={least}
            max={most}
            value={value}
            onChange={({ target }) => onChange(target.value)}
            autoFocus
            className={`${className} text-center tabular-nums [appearance:textfield] [&::-webkit-inner-spin-button]:appearance-none`}
          />
          <Button aria-label="One replica more" disabled={Number(value) >= most} onClick={() => step(1)}>
            <Icon name="plus" size={16} />
          </Button>
        </span>
      )}
    </Field>
  );
}

import { ApiError, unwrap } from '@mooring/client';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client, useChange } from '../../api.ts';
import { Form, FormActions } from '../../forms/form.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { toProject } from '../../paths.ts';
import type { FoundService } from '../../server-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useToast } from '../../ui/toast.tsx';
import { AdoptedDialog } from './adopted-dialog.tsx';

type Props = { serverId: string; services: FoundService[]; onClose: () => void };

/** Creates a project from the selected services. Its first deployment is the cut-over. */
export function AdoptDialog({ serverId, services, onClose }: Props) {
  const [isTrusted, setIsTrusted] = useState(false);
  const reaching = services.filter(({ needsTrust }) => needsTrust.length > 0);
  const adopt = useAdopt(serverId, services);
  if (adopt.data) return <AdoptedDialog {...adopt.data} onClose={onClose} />;
  return (
    <Dialog
      title="Create a project"
      lead="Creates a project from these services. Nothing on the server changes and nothing is deployed yet. Existing volumes are used in place."
      onClose={onClose}
    >
      <Form change={adopt} onSubmit={(value) => adopt.mutate({ projectName: value('projectName').trim(), isTrusted })}>
        <TextField
          label="Project name"
          name="projectName"
          autoComplete="off"
          defaultValue={suggested(services)}
          required
          autoFocus
        />
        <div>
          <p className="mb-1.5 text-sm font-medium">Services</p>
          <ul className="rounded-lg bg-sunken px-3.5 py-2.5 text-sm">
            {services.map(({ name }) => (
              <li key={name} className="[overflow-wrap:anywhere]">
                {name}
              </li>
            ))}
          </ul>
        </div>
        {reaching.length > 0 && <TrustField services={reaching} value={isTrusted} onChange={setIsTrusted} />}
        <FormActions submit="Create project" help={isNotTrusted(adopt.error) && <TrustHelp />}>
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}

type TrustProps = { services: FoundService[]; value: boolean; onChange: (value: boolean) => void };

/** The reasons are listed before the person trusts the services. */
const TrustField = ({ services, value, onChange }: TrustProps) => (
  <Notice kind="warn">
    <p className="font-medium">Some services have access to the host</p>
    <ul className="my-1 text-ink">
      {services.flatMap(({ name, needsTrust }) =>
        needsTrust.map((reason) => (
          <li key={name + reason}>
            {name}: {reason}
          </li>
        )),
      )}
    </ul>
    <span className="text-ink">
      <Checkbox checked={value} onChange={onChange}>
        I trust these services: create a trusted project
      </Checkbox>
    </span>
  </Notice>
);

const isNotTrusted = (error: unknown) => error instanceof ApiError && error.code === 'not_trusted';

const TrustHelp = () => (
  <Notice>
    Confirm above that you trust these services, or deselect them. A service with host access can control the whole
    machine.
  </Notice>
);

/** The name of the group, if all services belong to one. */
function suggested(services: FoundService[]): string {
  const [first, ...others] = services;
  if (!first) return '';
  return others.every(({ group }) => group === first.group) ? (first.group ?? first.service) : first.service;
}

type Wanted = { projectName: string; isTrusted: boolean };

function useAdopt(serverId: string, services: FoundService[]) {
  const toast = useToast();
  const navigate = useNavigate();
  return useChange(async ({ projectName, isTrusted }: Wanted) => {
    const serviceNames = services.map(({ name }) => name);
    const body = { serverId, projectName, serviceNames, ...(isTrusted && { trusted: true }) };
    const { project, warnings } = await unwrap(client.POST('/api/migration/adopt', { body }));
    if (!warnings.length) {
      toast(`${project.name} created`);
      await navigate(toProject(project.id));
    }
    return { id: project.id, name: project.name, warnings };
  });
}

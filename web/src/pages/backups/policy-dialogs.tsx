import { unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, projectsQuery, useChange, useSession } from '../../api.ts';
import type { Policy, PolicyBody } from '../../backup-queries.ts';
import { SelectField } from '../../forms/select-field.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { useToast } from '../../ui/toast.tsx';
import { production } from '../projects/environments.ts';
import { DeletePolicyDialog } from './delete-policy-dialog.tsx';
import { PolicyForm } from './policy-form.tsx';
import type { PolicyTask } from './policy-item.tsx';

type AddProps = { projectId: string | undefined; onClose: () => void };

/** Stands for Mooring itself among the projects. */
const instance = { id: 'instance', name: 'Mooring itself' };

export function AddPolicyDialog({ projectId, onClose }: AddProps) {
  const projects = useQuery(projectsQuery);
  const { isInstanceOwner } = useSession().user;
  return (
    <Dialog
      title="Add a backup policy"
      lead="Backs up volumes and databases of a project by a schedule. Every archive is read back and compared."
      wide
      onClose={onClose}
    >
      <Loaded query={projects} lines={5}>
        {(all) => {
          const own: Choice[] = all.filter(({ id }) => projectId === undefined || id === projectId);
          if (isInstanceOwner && projectId === undefined) own.push(instance);
          if (!own.length) return <p className="text-muted">There is no project to back up yet. Deploy one first.</p>;
          return <AddForm projects={own} onClose={onClose} />;
        }}
      </Loaded>
    </Dialog>
  );
}

type Choice = { id: string; name: string };

function AddForm({ projects, onClose }: { projects: Choice[]; onClose: () => void }) {
  const [projectId, setProjectId] = useState(projects[0]!.id);
  const toast = useToast();
  const save = useChange(async (body: PolicyBody) => {
    const { data } = await unwrap(client.POST('/api/backup-policies', { body }));
    toast(`${data.name} added`);
    onClose();
  });
  const project = projects.find(({ id }) => id === projectId)!;
  const isInstance = project === instance;
  return (
    <PolicyForm
      key={projectId}
      projectId={isInstance ? undefined : projectId}
      projectName={isInstance ? 'Mooring' : project.name}
      save={save}
      submit="Add policy"
      onSave={(settings, { name, environment }) =>
        save.mutate({
          ...settings,
          name,
          ...(isInstance ? { scope: 'instance' } : { projectId }),
          environment: environment || production,
          enabled: true,
        })
      }
      onClose={onClose}
    >
      {projects.length > 1 && (
        <SelectField
          label="Project"
          name="projectId"
          options={projects.map(({ id, name }) => ({ value: id, title: name }))}
          value={projectId}
          onChange={setProjectId}
        />
      )}
    </PolicyForm>
  );
}

/** The dialog of an action of a policy. */
export const PolicyTaskDialog = ({ task: { kind, policy }, onClose }: { task: PolicyTask; onClose: () => void }) =>
  kind === 'edit' ? (
    <EditPolicyDialog policy={policy} onClose={onClose} />
  ) : (
    <DeletePolicyDialog policy={policy} onClose={onClose} />
  );

function EditPolicyDialog({ policy, onClose }: { policy: Policy; onClose: () => void }) {
  const toast = useToast();
  const save = useChange(async (body: Partial<PolicyBody>) => {
    const params = { path: { id: policy.id } };
    const { data } = await unwrap(client.PATCH('/api/backup-policies/{id}', { params, body }));
    toast(`${data.name} changed`);
    onClose();
  });
  return (
    <Dialog
      title={`Edit ${policy.name}`}
      lead="The next run uses the new settings. The new retention applies once it has completed."
      wide
      onClose={onClose}
    >
      <PolicyForm
        policy={policy}
        projectId={policy.projectId ?? undefined}
        projectName=""
        save={save}
        submit="Save changes"
        onSave={(settings, { name }) => save.mutate({ ...settings, name })}
        onClose={onClose}
      />
    </Dialog>
  );
}

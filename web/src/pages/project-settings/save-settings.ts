import { unwrap } from '@mooring/client';
import { client, type Project, useChange } from '../../api.ts';
import { useToast } from '../../ui/toast.tsx';

export type SettingsProps = { project: Project; onChanged: () => void };
export type ProjectChange = Partial<Project>;

/** Saves part of the settings and shows a toast. */
export function useSaveSettings({ project: { id }, onChanged }: SettingsProps) {
  const toast = useToast();
  return useChange(async (body: ProjectChange) => {
    await unwrap(client.PATCH('/api/projects/{id}', { params: { path: { id } }, body }));
    toast('Saved');
    onChanged();
  });
}

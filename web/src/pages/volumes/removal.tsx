import { unwrap } from '@mooring/client';
import { TextField } from '../../forms/text-field.tsx';
import { client } from '../../api.ts';
import type { Volume } from '../../volume-queries.ts';
import { exactText } from '../../forms/exact-text.ts';

export async function removeVolume(id: string, { name, environment }: Volume, data: 'keep' | 'delete'): Promise<void> {
  const params = { path: { id, name }, query: { environment, data } };
  await unwrap(client.DELETE('/api/projects/{id}/volumes/{name}', { params }));
}

export const volumeLossText = ({ inUse }: Volume): string =>
  inUse
    ? 'Its files are deleted as soon as no release uses them. This cannot be undone.'
    : 'Its files are deleted now. This cannot be undone.';

type Props = { name: string; value: string; onChange: (typed: string) => void };

/** Deleted data cannot be restored, so its name has to be typed. */
export const NameToConfirm = ({ name, value, onChange }: Props) => (
  <TextField
    label={`Type ${name} to confirm`}
    name="confirm"
    {...exactText}
    value={value}
    onChange={({ target }) => onChange(target.value.trim())}
  />
);

import { TextField } from '../../forms/text-field.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { exactText } from '../../forms/exact-text.ts';

export const PathField = ({ path, autoFocus = false }: { path: string; autoFocus?: boolean }) => (
  <TextField
    label="Path"
    name="path"
    placeholder="data"
    hint="The folder that your app writes to, relative to the folder of the app: data or public/uploads. In containers absolute paths work too."
    {...exactText}
    defaultValue={path}
    autoFocus={autoFocus}
    required
  />
);

type OverlapProps = { value: boolean; onChange: (overlap: boolean) => void };

export const OverlapField = ({ value, onChange }: OverlapProps) => (
  <div>
    <Checkbox checked={value} onChange={onChange}>
      Two releases may use it at once
    </Checkbox>
    <p className="mt-1.5 text-sm text-muted">
      By default a deployment stops the running release before it starts the next one, and requests wait meanwhile. With
      this, both run for a moment. Choose it only where two processes can share the folder: for uploads, not for a
      database file.
    </p>
  </div>
);

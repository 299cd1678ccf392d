import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Destination, DestinationKind, KindField } from '../../destination-queries.ts';
import { FileTextField } from '../../forms/file-text-field.tsx';
import { PasswordField } from '../../forms/password-field.tsx';
import { SelectField } from '../../forms/select-field.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { usePermissions, useResourcePermissions } from '../../permissions.ts';
import { serversQuery } from '../../server-queries.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { isSecretStored, storedValue } from './destination-values.ts';
import { exactText } from '../../forms/exact-text.ts';

type Props = {
  kind: DestinationKind;
  destination?: Destination;
  /** The form contains another address, for which the stored credentials are not used. */
  isMoved?: boolean;
  cleared: string[];
  onClear: (name: string, on: boolean) => void;
};

/** The fields of a kind, as the API describes them. */
export function DestinationFields({ kind, destination, isMoved = false, cleared, onClear }: Props) {
  return kind.fields.map((field) => {
    const isKept = isSecretStored(destination, field) && !cleared.includes(field.name);
    const mayClear = isSecretStored(destination, field) && !field.required;
    return (
      <div
        key={`${kind.kind} ${field.name}`}
        className={`grid min-w-0 gap-2 ${field.type === 'multiline' ? 'sm:col-span-2' : ''}`}
      >
        {field.secret ? (
          <SecretField field={field} isKept={isKept} isMoved={isMoved} />
        ) : (
          <PlainField field={field} destination={destination} />
        )}
        {mayClear && (
          <Checkbox checked={cleared.includes(field.name)} onChange={(on) => onClear(field.name, on)}>
            Remove the stored {field.label.toLowerCase()}
          </Checkbox>
        )}
      </div>
    );
  });
}

type SecretProps = { field: KindField; isKept: boolean; isMoved: boolean };

function SecretField({ field: { name, label, help, type, required }, isKept, isMoved }: SecretProps) {
  const keep = isMoved
    ? 'Enter it again: the stored one belongs to the previous address.'
    : 'Stored. Leave empty to keep it.';
  const hint = isKept ? keep : help;
  if (type === 'multiline')
    return <FileTextField label={label} name={name} placeholder="-----BEGIN OPENSSH PRIVATE KEY-----" hint={hint} />;
  // An access key ID is stored like a secret but typed in plain text.
  if (type === 'text')
    return <TextField label={label} name={name} hint={hint} {...exactText} required={required && !isKept} />;
  return (
    <PasswordField label={label} name={name} autoComplete="new-password" hint={hint} required={required && !isKept} />
  );
}

function PlainField({ field, destination }: { field: KindField; destination?: Destination }) {
  const { name, label, help, type, required, maxLength } = field;
  const value = storedValue(destination, field);
  if (type === 'server') return <ServerField field={field} value={value} />;
  return (
    <TextField
      label={label}
      name={name}
      hint={help}
      {...exactText}
      inputMode={type === 'number' ? 'numeric' : undefined}
      maxLength={maxLength}
      defaultValue={value}
      required={required}
    />
  );
}

/** The servers that the person may write to, plus the stored one. */
function ServerField({ field: { name, label, help }, value }: { field: KindField; value: string }) {
  const may = usePermissions();
  const mayOn = useResourcePermissions();
  const { data: servers = [] } = useQuery({ ...serversQuery, enabled: may('server:list') });
  const [chosen, setChosen] = useState(value);
  const offered = servers.filter(({ id }) => id === value || mayOn('server', id, 'write'));
  const isKnown = !chosen || offered.some(({ id }) => id === chosen);
  const options = [
    { value: '', title: offered.length ? 'Choose a server' : 'No server that you can write to' },
    ...offered.map((server) => ({ value: server.id, title: server.name })),
    ...(isKnown ? [] : [{ value: chosen, title: chosen }]),
  ];
  return <SelectField label={label} name={name} hint={help} options={options} value={chosen} onChange={setChosen} />;
}

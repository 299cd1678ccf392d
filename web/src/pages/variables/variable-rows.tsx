import { type ChangeEvent, type ClipboardEvent, useState } from 'react';
import { useFieldError } from '../../forms/form.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Icon } from '../../ui/icons.tsx';
import { looksSecret, parseEnvFile, readEnvFile } from '@mooring/client';

/** A variable in the form. `example` is suggested by the source. */
export type VariableRow = {
  id: number;
  key: string;
  value: string;
  secret: boolean;
  buildTime: boolean;
  example?: string | null;
};

let last = 0;
export const newRow = (key = '', more: Partial<VariableRow> = {}): VariableRow => ({
  id: (last += 1),
  key,
  value: '',
  secret: looksSecret(key),
  buildTime: false,
  ...more,
});

/** The body of `PATCH /api/projects/:id/variables`. A suggested variable is omitted while it has no value. */
export const variableChanges = (rows: readonly VariableRow[]) =>
  Object.fromEntries(
    rows
      .filter(({ key, value, example }) => key.trim() && (value || example === undefined))
      .map(({ key, value, secret, buildTime }) => [key.trim(), { value, secret, buildTime }]),
  );

/** Why these rows cannot be saved. */
export function problemIn(rows: readonly VariableRow[]): string | undefined {
  if (rows.some(({ key, value }) => value && !key.trim())) return 'A value has no name. Enter its name, or remove it.';
  const keys = rows.map(({ key }) => key.trim()).filter(Boolean);
  const twice = keys.find((key, index) => keys.indexOf(key) < index);
  return twice && `${twice} is entered twice. Remove one of the two.`;
}

/** Merges the entries of a `.env` file: known names get their values, new ones are added. */
export function withEnvFile(rows: readonly VariableRow[], text: string): VariableRow[] {
  const entries = new Map(parseEnvFile(text).map(({ key, value }) => [key, value]));
  const known = rows.map((row) => {
    const value = entries.get(row.key);
    entries.delete(row.key);
    return value === undefined ? row : { ...row, value };
  });
  return [
    ...known.filter(({ key, value }) => key || value),
    ...[...entries].map(([key, value]) => newRow(key, { value })),
  ];
}

type Props = { rows: VariableRow[]; onChange: (rows: VariableRow[]) => void };

/** Names and values, one row each. Pasting a `.env` file into a name adds rows. */
export function VariableRows({ rows, onChange }: Props) {
  return (
    <div className="grid grid-cols-1 gap-3">
      {rows.map((row, index) => (
        <Row
          key={row.id}
          row={row}
          index={index}
          onChange={(more) => onChange(rows.map((each) => (each.id === row.id ? { ...each, ...more } : each)))}
          onRemove={() => onChange(rows.filter(({ id }) => id !== row.id))}
          onEnvFile={(text) => onChange(withEnvFile(rows, text))}
        />
      ))}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button size="small" onClick={() => onChange([...rows, newRow()])}>
          <Icon name="plus" size={16} />
          Add variable
        </Button>
        <EnvFile onText={(text) => onChange(withEnvFile(rows, text))} />
      </div>
    </div>
  );
}

type RowProps = {
  row: VariableRow;
  index: number;
  onChange: (more: Partial<VariableRow>) => void;
  onRemove: () => void;
  onEnvFile: (text: string) => void;
};

const typing = { autoCapitalize: 'none', spellCheck: false, className: 'control font-mono text-sm' } as const;

function Row({ row, index, onChange, onRemove, onEnvFile }: RowProps) {
  const name = `variables.${row.key.trim()}`;
  const nameError = useFieldError(name, row.key.trim());
  const valueError = useFieldError(`${name}.value`, `The value of ${row.key.trim()}`);
  const called = row.key || `variable ${index + 1}`;
  const rename = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    // Typing `NAME=value` moves on to the value.
    const [key = '', ...rest] = currentTarget.value.split('=');
    const value = rest.length ? { value: rest.join('=') || row.value } : {};
    onChange({ key, secret: row.secret || looksSecret(key), ...value });
    if (rest.length) currentTarget.parentElement?.querySelector<HTMLElement>(`[name$=".value"]`)?.focus();
  };
  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text');
    if (!parseEnvFile(text).length) return;
    event.preventDefault();
    onEnvFile(text);
  };
  return (
    <div className="grid gap-2 sm:grid-cols-[minmax(0,1fr)_minmax(0,1.4fr)_auto]">
      <input
        {...typing}
        name={name}
        aria-label={`Name of variable ${index + 1}`}
        aria-invalid={Boolean(nameError)}
        value={row.key}
        placeholder="NAME"
        onChange={rename}
        onPaste={paste}
        autoComplete="off"
      />
      <Value
        label={`Value of ${called}`}
        name={`${name}.value`}
        isInvalid={Boolean(valueError)}
        row={row}
        onChange={(value) => onChange({ value })}
      />
      <span className="flex items-center gap-3">
        <Checkbox checked={row.secret} onChange={(secret) => onChange({ secret })}>
          Secret
        </Checkbox>
        <Checkbox checked={row.buildTime} onChange={(buildTime) => onChange({ buildTime })}>
          Build
        </Checkbox>
        <Button kind="quiet" size="icon" aria-label={`Remove ${called}`} onClick={onRemove}>
          <Icon name="close" size={16} />
        </Button>
      </span>
      {(nameError ?? valueError) && (
        <p role="alert" className="text-sm text-danger [overflow-wrap:anywhere] sm:col-span-3">
          {nameError ?? valueError}
        </p>
      )}
    </div>
  );
}

type ValueProps = {
  label: string;
  name: string;
  isInvalid: boolean;
  row: VariableRow;
  onChange: (value: string) => void;
};

/** A text area for multi-line values: an input would drop the line breaks of a key or a certificate. */
function Value({ label, name, isInvalid, row: { value, secret, example }, onChange }: ValueProps) {
  const [isPasted, setIsPasted] = useState(false);
  const control = { ...typing, name, 'aria-label': label, 'aria-invalid': isInvalid, value };
  const paste = (event: ClipboardEvent<HTMLInputElement>) => {
    const text = event.clipboardData.getData('text').replaceAll('\r\n', '\n').replace(/\n$/, '');
    if (!text.includes('\n')) return;
    event.preventDefault();
    const { selectionStart, selectionEnd } = event.currentTarget;
    onChange(value.slice(0, selectionStart ?? 0) + text + value.slice(selectionEnd ?? value.length));
    setIsPasted(true);
  };
  if (value.includes('\n'))
    return (
      <textarea
        {...control}
        autoFocus={isPasted}
        rows={Math.min(6, value.split('\n').length)}
        onChange={(event) => onChange(event.target.value)}
        className={`${typing.className} ${secret ? '[-webkit-text-security:disc]' : ''}`}
      />
    );
  return (
    <input
      {...control}
      type={secret ? 'password' : 'text'}
      placeholder={example ? `for example ${example}` : 'value'}
      onChange={(event) => onChange(event.target.value)}
      onPaste={paste}
      autoComplete="new-password"
    />
  );
}

/** Takes the text of a `.env` file and shows the number of variables in it. */
function EnvFile({ onText }: { onText: (text: string) => void }) {
  const [isOpen, setIsOpen] = useState(false);
  const [text, setText] = useState('');
  if (!isOpen)
    return (
      <Button size="small" onClick={() => setIsOpen(true)}>
        Paste a .env file
      </Button>
    );
  const { entries, skipped } = readEnvFile(text);
  return (
    <div className="grid w-full grid-cols-1 gap-2">
      <textarea
        autoFocus
        aria-label="Text of a .env file"
        rows={6}
        value={text}
        onChange={(event) => setText(event.target.value)}
        placeholder={'API_URL=https://api.example.org\nAPI_KEY=...'}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        className="control font-mono text-xs"
      />
      {skipped.length > 0 && <p className="text-sm text-warn">{skippedLines(skipped)}</p>}
      <div className="flex flex-wrap gap-2">
        <Button
          size="small"
          disabled={!entries.length}
          onClick={() => {
            onText(text);
            setText('');
            setIsOpen(false);
          }}
        >
          {entries.length === 1 ? 'Add 1 variable' : `Add ${entries.length} variables`}
        </Button>
        <Button size="small" kind="quiet" onClick={() => setIsOpen(false)}>
          Cancel
        </Button>
      </div>
    </div>
  );
}

function skippedLines(numbers: number[]): string {
  const shown = numbers.slice(0, 5).join(', ') + (numbers.length > 5 ? ' and more' : '');
  const lines =
    numbers.length === 1 ? `Line ${shown} is not a variable and is` : `Lines ${shown} are not variables and are`;
  return `${lines} left out. Names have letters, digits and underscores.`;
}

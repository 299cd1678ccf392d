import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Icon } from '../../ui/icons.tsx';
import { looksSecret, parseEnvFile } from './env-file.ts';

/** A variable that is being entered. `example` is what the source suggests. */
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

/** What `PATCH /api/projects/:id/variables` takes. Rows without a name or a value are left out. */
export const changesOf = (rows: readonly VariableRow[]) =>
  Object.fromEntries(
    rows
      .filter(({ key, value }) => key.trim() && value)
      .map(({ key, value, secret, buildTime }) => [key.trim(), { value, secret, buildTime }]),
  );

/** With the entries of a `.env` file: known names get their values, new ones are added. */
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

/** Names and values, one row each. A `.env` file that is pasted into a name becomes rows. */
export function VariableRows({ rows, onChange }: Props) {
  const change = (id: number, more: Partial<VariableRow>) =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...more } : row)));
  const rename = (row: VariableRow, text: string) => {
    if (text.includes('=') || text.includes('\n'))
      return onChange(
        withEnvFile(
          rows.filter(({ id }) => id !== row.id),
          text,
        ),
      );
    change(row.id, { key: text, secret: row.secret || looksSecret(text) });
  };
  return (
    <div className="grid grid-cols-1 gap-3">
      {rows.map((row, index) => (
        <div key={row.id} className="grid gap-2 sm:grid-cols-[minmax(0,1fr)_minmax(0,1.4fr)_auto]">
          <input
            aria-label={`Name of variable ${index + 1}`}
            value={row.key}
            placeholder="NAME"
            onChange={(event) => rename(row, event.target.value)}
            onPaste={(event) => {
              const text = event.clipboardData.getData('text');
              if (!text.includes('=')) return;
              event.preventDefault();
              rename(row, text);
            }}
            autoCapitalize="none"
            autoComplete="off"
            spellCheck={false}
            className="control font-mono text-sm"
          />
          <input
            aria-label={`Value of ${row.key || `variable ${index + 1}`}`}
            type={row.secret ? 'password' : 'text'}
            value={row.value}
            placeholder={row.example ? `for example ${row.example}` : 'value'}
            onChange={(event) => change(row.id, { value: event.target.value })}
            autoCapitalize="none"
            autoComplete="new-password"
            spellCheck={false}
            className="control font-mono text-sm"
          />
          <span className="flex items-center gap-3">
            <Checkbox checked={row.secret} onChange={(secret) => change(row.id, { secret })}>
              Secret
            </Checkbox>
            <Checkbox checked={row.buildTime} onChange={(buildTime) => change(row.id, { buildTime })}>
              Build
            </Checkbox>
            <Button
              kind="quiet"
              size="icon"
              aria-label={`Remove ${row.key || `variable ${index + 1}`}`}
              onClick={() => onChange(rows.filter(({ id }) => id !== row.id))}
            >
              <Icon name="close" size={16} />
            </Button>
          </span>
        </div>
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

/** Secret values cannot be read again; build variables are there while the app is built, and not when it runs. */
function EnvFile({ onText }: { onText: (text: string) => void }) {
  const [isOpen, setIsOpen] = useState(false);
  const [text, setText] = useState('');
  if (!isOpen)
    return (
      <Button size="small" onClick={() => setIsOpen(true)}>
        Paste a .env file
      </Button>
    );
  const count = parseEnvFile(text).length;
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
      <div className="flex flex-wrap gap-2">
        <Button
          size="small"
          disabled={!count}
          onClick={() => {
            onText(text);
            setText('');
            setIsOpen(false);
          }}
        >
          {count === 1 ? 'Add 1 variable' : `Add ${count} variables`}
        </Button>
        <Button size="small" kind="quiet" onClick={() => setIsOpen(false)}>
          Cancel
        </Button>
      </div>
    </div>
  );
}

import type { Grant } from '../api.ts';
import { type Action, actions, impliedBy, withoutImplied } from '../permissions.ts';
import { Button } from '../ui/button.tsx';
import { Checkbox } from '../ui/checkbox.tsx';
import { Icon } from '../ui/icons.tsx';
import { useFieldError, useClearError } from './form.tsx';
import { SelectField } from './select-field.tsx';
import { TextField } from './text-field.tsx';

type Props = { value: Grant[]; onChange: (grants: Grant[]) => void };

const kinds: { value: Grant['resource']; title: string; example: string }[] = [
  { value: 'project', title: 'Project', example: 'prj_…' },
  { value: 'server', title: 'Server', example: 'srv_…' },
  { value: 'backup_destination', title: 'Backup destination', example: 'bkd_…' },
  { value: 'repository', title: 'Repository', example: 'owner/repo or owner/*' },
];

/** The resources that a restricted member can access. */
export function GrantsField({ value, onChange }: Props) {
  const forget = useClearError();
  /** Clears errors: they belong to a row's index, which another row may take. */
  const replaceAll = (grants: Grant[]) => {
    forget('grants');
    onChange(grants);
  };
  return (
    <fieldset className="grid min-w-0 gap-3">
      <legend className="mb-1.5 text-sm font-medium">Grants</legend>
      {!value.length && (
        <p className="text-sm text-muted">
          Without a grant, a restricted member sees the organization and nothing in it.
        </p>
      )}
      {value.map((grant, index) => (
        // Rows have no identity of their own, and their state is all in `value`.
        <GrantRow
          key={index}
          index={index}
          grant={grant}
          onChange={(next) => onChange(value.with(index, next))}
          onRemove={() => replaceAll(value.toSpliced(index, 1))}
        />
      ))}
      <Button
        size="small"
        className="justify-self-start"
        onClick={() => replaceAll([...value, { resource: 'project', id: '', actions: ['read', 'list'] }])}
      >
        <Icon name="plus" size={15} />
        Add a grant
      </Button>
    </fieldset>
  );
}

type RowProps = { index: number; grant: Grant; onChange: (grant: Grant) => void; onRemove: () => void };

function GrantRow({ index, grant, onChange, onRemove }: RowProps) {
  const name = (field: keyof Grant) => `grants.${index}.${field}`;
  const error = useFieldError(name('actions'), 'Actions');
  const along = impliedBy(grant.actions);
  const forget = useClearError();
  const toggle = (action: Action, on: boolean) => {
    forget(name('actions'));
    onChange({
      ...grant,
      actions: withoutImplied(on ? [...grant.actions, action] : grant.actions.filter((each) => each !== action)),
    });
  };
  return (
    <div className="grid gap-3 rounded-lg border border-line p-3">
      <div className="grid grid-cols-[1fr_auto] gap-2 sm:grid-cols-[11rem_1fr_auto]">
        <SelectField
          bare
          label="Kind"
          name={name('resource')}
          options={kinds}
          value={grant.resource}
          onChange={(resource) => onChange({ ...grant, resource })}
        />
        <div className="order-last col-span-2 sm:order-none sm:col-span-1">
          <TextField
            bare
            label={grant.resource === 'repository' ? 'Repository' : 'Id'}
            name={name('id')}
            value={grant.id}
            placeholder={kinds.find(({ value }) => value === grant.resource)?.example}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => onChange({ ...grant, id: event.target.value })}
          />
        </div>
        <Button kind="quiet" size="icon" aria-label="Remove this grant" onClick={onRemove}>
          <Icon name="close" size={16} />
        </Button>
      </div>
      <fieldset name={name('actions')} className="flex flex-wrap gap-x-5 gap-y-2">
        <legend className="sr-only">Actions</legend>
        {actions.map((action) => (
          <Checkbox
            key={action}
            checked={grant.actions.includes(action) || along.has(action)}
            disabled={along.has(action)}
            onChange={(on) => toggle(action, on)}
          >
            {action}
          </Checkbox>
        ))}
      </fieldset>
      {error && (
        <p role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
    </div>
  );
}

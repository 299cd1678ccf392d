import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { membersQuery } from '../../api.ts';
import { SelectField } from '../../forms/select-field.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { type AuditSearch, toAudit } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { Button } from '../../ui/button.tsx';
import { auditSubjects } from './sentences.ts';

const everything = { value: '', title: 'All subjects' };
const times = [
  { value: '', title: 'Any time' },
  { value: '1', title: 'Last 24 hours' },
  { value: '7', title: 'Last 7 days' },
  { value: '30', title: 'Last 30 days' },
  { value: 'dates', title: 'Between two dates' },
];

/** The filter is part of the URL, so that it can be shared and survives a reload. */
export function AuditFilterBar({ search }: { search: AuditSearch }) {
  const navigate = useNavigate();
  const narrow = (change: AuditSearch) => void navigate({ ...toAudit({ ...search, ...change }), replace: true });
  const isNarrowed = Object.values(search).some(Boolean);
  return (
    <div className="flex flex-wrap items-end gap-3">
      <div className="w-full sm:w-44">
        <SelectField
          label="Subject"
          name="noun"
          options={[everything, ...auditSubjects]}
          value={search.noun ?? ''}
          onChange={(noun) => narrow({ noun: noun || undefined })}
        />
      </div>
      <div className="w-full sm:w-56">
        <ActorField actor={search.actor} onChange={(actor) => narrow({ actor })} />
      </div>
      <div className="w-full sm:w-56">
        <SelectField
          label="Time"
          name="when"
          options={times}
          value={search.when ?? ''}
          onChange={(when) => narrow({ when: when || undefined, from: undefined, to: undefined })}
        />
      </div>
      {search.when === 'dates' && (
        <>
          <TextField
            label="From"
            name="from"
            type="date"
            value={search.from ?? ''}
            onChange={(event) => narrow({ from: event.target.value || undefined })}
          />
          <TextField
            label="To"
            name="to"
            type="date"
            value={search.to ?? ''}
            onChange={(event) => narrow({ to: event.target.value || undefined })}
          />
        </>
      )}
      {isNarrowed && (
        <Button kind="quiet" onClick={() => void navigate(toAudit())}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

function ActorField({ actor, onChange }: { actor: string | undefined; onChange: (actor: string | undefined) => void }) {
  const may = usePermissions();
  const { data: members = [] } = useQuery({ ...membersQuery, enabled: may('member:list') });
  const known = members.map(({ userId, name }) => ({ value: userId, title: name }));
  const isKnown = !actor || known.some(({ value }) => value === actor);
  // Entries of former members remain.
  const options = [
    { value: '', title: 'Everyone' },
    ...known,
    ...(isKnown ? [] : [{ value: actor, title: `Former member ${actor}` }]),
  ];
  return (
    <SelectField
      label="Person"
      name="actor"
      options={options}
      value={actor ?? ''}
      onChange={(value) => onChange(value || undefined)}
    />
  );
}

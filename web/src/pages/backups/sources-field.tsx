import { useQuery } from '@tanstack/react-query';
import { asSentence } from '../../api.ts';
import { type BackupSource, type FoundSource, type PolicyBody, sourcesQuery } from '../../backup-queries.ts';
import { ChoiceField } from '../../forms/choice-field.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { sourceTitle } from './backup-words.ts';

type Sources = PolicyBody['sources'];
type Props = { projectId: string; environment: string; value: Sources; onChange: (sources: Sources) => void };

/** Everything that is found, or a choice of it. */
export function SourcesField({ projectId, environment, value, onChange }: Props) {
  const found = useQuery(sourcesQuery(projectId, environment));
  const isAll = value === 'all';
  const usual = found.data?.filter(({ isDefault }) => isDefault) ?? [];
  return (
    <div className="grid grid-cols-1 gap-3">
      <ChoiceField
        label="Sources"
        name="sources"
        choices={[
          {
            value: 'all',
            title: 'All volumes and databases',
            means: `Also those that are added later.${found.data ? ` Now: ${usual.map(({ source }) => sourceTitle(source)).join(', ') || 'none'}.` : ''}`,
          },
          { value: 'some', title: 'Chosen sources', means: 'Only what you choose here.' },
        ]}
        value={isAll ? 'all' : 'some'}
        onChange={(chosen) => onChange(chosen === 'all' ? 'all' : usual.map(({ source }) => source))}
      />
      {!isAll && (
        <Loaded query={found} lines={2}>
          {(list) => <Choices found={list} value={value} onChange={onChange} />}
        </Loaded>
      )}
    </div>
  );
}

type ChoicesProps = { found: FoundSource[]; value: BackupSource[]; onChange: (sources: BackupSource[]) => void };

/** Why a source that was not found is in the list. */
function reasonOf(source: BackupSource): string {
  if (source.type === 'files') return 'A folder of the service.';
  if (source.type === 'database' && !source.database) return 'Every database of the service.';
  return 'It does not exist now. Backups fail until it does, or until you remove it here.';
}

/** Chosen sources that are not found any more stay in the list, to be unchecked. */
function Choices({ found, value, onChange }: ChoicesProps) {
  const known = new Set(found.map(({ source }) => sourceTitle(source)));
  const missing = value.filter((source) => !known.has(sourceTitle(source)));
  const rows = [
    ...found.map(({ source, reason }) => ({ source, reason: asSentence(reason) })),
    ...missing.map((source) => ({ source, reason: reasonOf(source) })),
  ];
  const toggle = (source: BackupSource, on: boolean) =>
    onChange([...value.filter((each) => sourceTitle(each) !== sourceTitle(source)), ...(on ? [source] : [])]);
  if (!rows.length)
    return (
      <p className="text-sm text-muted">
        No volumes or databases were found. Deploy the project, or add a volume to it, and come back.
      </p>
    );
  return (
    <ul aria-label="Found sources" className="grid grid-cols-1 gap-2.5 rounded-lg border border-line p-3.5">
      {rows.map(({ source, reason }) => (
        <li key={sourceTitle(source)}>
          <Checkbox
            checked={value.some((each) => sourceTitle(each) === sourceTitle(source))}
            onChange={(on) => toggle(source, on)}
          >
            {sourceTitle(source)}
          </Checkbox>
          <p className="pl-7 text-sm text-muted [overflow-wrap:anywhere]">{reason}</p>
        </li>
      ))}
    </ul>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { SelectField } from '../../forms/select-field.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Failure } from '../../ui/notice.tsx';
import { Card } from '../../ui/page.tsx';
import { LineList } from './line-list.tsx';
import type { ShownLine } from './log-lines.ts';
import { runtimeLogQuery } from './log-query.ts';

type Props = {
  deploymentId: string;
  services: string[];
  /** The highest number of a replica that runs. */
  replicas: number;
};

/** What the running app writes, with filters by service and replica. */
export function LogViewer({ deploymentId, services, replicas }: Props) {
  const [service, setService] = useState<string>();
  const [replica, setReplica] = useState(all);
  const [isPaused, setIsPaused] = useState(false);
  const [isWrapped, setIsWrapped] = useState(true);
  const log = useQuery({ ...runtimeLogQuery(deploymentId, service), enabled: !isPaused });
  // Replicas that were removed stay in the log.
  const highest = Math.max(replicas, ...(log.data ?? []).map((line) => line.replica ?? 1));
  const show = { service: services.length > 1 && service === undefined, replica: highest > 1 && replica === all };
  return (
    <Card className="overflow-hidden">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line p-3">
        {services.length > 1 && (
          <Filter
            label="Service of the log"
            options={[{ value: all, title: 'All services' }, ...services.map((each) => ({ value: each, title: each }))]}
            value={service ?? all}
            onChange={(value) => setService(value === all ? undefined : value)}
          />
        )}
        {highest > 1 && (
          <Filter
            label="Replica of the log"
            options={[{ value: all, title: 'All replicas' }, ...numbered(highest)]}
            value={replica}
            onChange={setReplica}
          />
        )}
        <Checkbox checked={isWrapped} onChange={setIsWrapped}>
          Wrap lines
        </Checkbox>
        <span className="ml-auto flex items-center gap-3">
          <span role="status" className="text-sm text-muted">
            {isPaused ? 'Paused' : 'Following'}
          </span>
          <Button size="small" onClick={() => setIsPaused(!isPaused)}>
            {isPaused ? 'Resume' : 'Pause'}
          </Button>
        </span>
      </div>
      {log.isError && log.data && <Failure error={log.error} retry={() => void log.refetch()} />}
      <Loaded query={log}>
        {(lines) => <LineList lines={linesOf(lines, replica)} isWrapped={isWrapped} show={show} />}
      </Loaded>
    </Card>
  );
}

const all = '';

const numbered = (highest: number) =>
  Array.from({ length: highest }, (_, index) => ({ value: `${index + 1}`, title: `Replica ${index + 1}` }));

const linesOf = (lines: readonly ShownLine[], replica: string): readonly ShownLine[] =>
  replica === all ? lines : lines.filter((line) => line.replica === Number(replica));

type FilterProps = {
  label: string;
  options: { value: string; title: string }[];
  value: string;
  onChange: (value: string) => void;
};

const Filter = ({ label, options, value, onChange }: FilterProps) => (
  <div className="w-40 max-w-full">
    <SelectField bare label={label} name="filter" options={options} value={value} onChange={onChange} />
  </div>
);

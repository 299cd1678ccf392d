import { unwrap } from '@mooring/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { client } from '../../api.ts';
import { SelectField } from '../../forms/select-field.tsx';
import { Button } from '../../ui/button.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Failure } from '../../ui/notice.tsx';
import { type LogLine, logLine } from './lines.ts';
import { prefixOf } from './log-line.tsx';
import { LogPanel, saveText } from './log-panel.tsx';
import { useLogView } from './log-view.ts';
import { mostLines } from './runtime-lines.ts';
import { runtimeLogQuery } from './runtime-log-query.ts';

/** The selected part of a log: one service, one replica, or everything. */
export type LogFilter = { service?: string | undefined; replica?: number | undefined };

type Props = {
  deploymentId: string;
  services: string[];
  /** The highest number of a running replica. */
  replicas: number;
  /** For pages that keep the filter, as in the URL. */
  filter?: LogFilter;
  onFilter?: (filter: LogFilter) => void;
  /** Height of the list. */
  className?: string;
};

/** The output of the running app, with filters by service and replica. */
export function LogViewer({ deploymentId, services, replicas, className = 'h-80', ...kept }: Props) {
  const [ownFilter, setOwnFilter] = useState<LogFilter>({});
  const { filter = ownFilter, onFilter = setOwnFilter } = kept;
  // A service of an earlier release may no longer exist.
  const service = services.find((each) => each === filter.service);
  const { replica } = filter;
  const [isPaused, setIsPaused] = useState(false);
  const log = useQuery({ ...runtimeLogQuery(deploymentId, service), enabled: !isPaused });
  // Removed replicas remain in the log.
  const highest = Math.max(replicas, replica ?? 1, ...(log.data ?? []).map((line) => line.replica ?? 1));
  const columns = {
    service: services.length > 1 && service === undefined,
    replica: highest > 1 && replica === undefined,
  };
  const download = useMutation({
    mutationFn: async () => {
      const query = { kind: 'runtime' as const, tail: mostLines, service };
      const params = { path: { id: deploymentId }, query };
      const { data } = await unwrap(client.GET('/api/deployments/{id}/logs', { params }));
      const lines = linesOf(
        data.map((line, index) => logLine(index, line)),
        replica,
      );
      const show = { ...columns, time: true };
      saveText(
        `${deploymentId}-runtime.log`,
        lines.map((line) => `${line.at} ${prefixOf(line, show)}${line.text}\n`).join(''),
      );
    },
  });
  const filters = (
    <>
      {services.length > 1 && (
        <Filter
          label="Service of the log"
          options={[{ value: all, title: 'All services' }, ...services.map((each) => ({ value: each, title: each }))]}
          value={service ?? all}
          onChange={(value) => onFilter({ ...filter, service: value || undefined })}
        />
      )}
      {highest > 1 && (
        <Filter
          label="Replica of the log"
          options={[{ value: all, title: 'All replicas' }, ...numbered(highest)]}
          value={`${replica ?? all}`}
          onChange={(value) => onFilter({ ...filter, replica: Number(value) || undefined })}
        />
      )}
    </>
  );
  const status = (
    <>
      <span role="status" className="min-w-12 text-sm text-muted">
        {isPaused ? 'Paused' : 'Live'}
      </span>
      <Button size="small" onClick={() => setIsPaused(!isPaused)}>
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
    </>
  );
  const failed = download.error ?? (log.isError && log.data ? log.error : null);
  return (
    <div className="grid grid-cols-1 gap-3">
      {failed && <Failure error={failed} retry={() => (download.error ? download.mutate() : void log.refetch())} />}
      <Loaded query={log}>
        {(lines) => (
          <Lines
            // Another selection is another log, which opens at its end.
            key={JSON.stringify([service, replica])}
            lines={lines}
            {...{ replica, columns, filters, status, className }}
            onDownload={download.isPending ? undefined : () => download.mutate()}
          />
        )}
      </Loaded>
    </div>
  );
}

type LinesProps = Pick<
  Parameters<typeof LogPanel>[0],
  'columns' | 'filters' | 'status' | 'onDownload' | 'className'
> & {
  lines: readonly LogLine[];
  replica: number | undefined;
};

function Lines({ lines, replica, ...panel }: LinesProps) {
  const blocks = useMemo(() => [{ id: 'log', lines: linesOf(lines, replica), isFolded: false }], [lines, replica]);
  const view = useLogView({ blocks, version: lines, startsAtEnd: true });
  const isEmpty = blocks[0]!.lines.length === 0;
  return (
    <LogPanel
      {...{ view, blocks }}
      {...panel}
      version={lines}
      empty={isEmpty && <p className="px-3 py-2 text-muted">No log lines yet.</p>}
    />
  );
}

const all = '';

const numbered = (highest: number) =>
  Array.from({ length: highest }, (_, index) => ({ value: `${index + 1}`, title: `Replica ${index + 1}` }));

const linesOf = (lines: readonly LogLine[], replica: number | undefined): readonly LogLine[] =>
  replica === undefined ? lines : lines.filter((line) => line.replica === replica);

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

import { useMemo, useState } from 'react';
import { type Deployment, isUnfinishedDeployment, type Step } from '../../../api.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { Failure } from '../../../ui/notice.tsx';
import { Spinner } from '../../../ui/spinner.tsx';
import type { LogBlock } from '../../logs/line-layout.ts';
import { LogPanel, saveText } from '../../logs/log-panel.tsx';
import { useLogView } from '../../logs/log-view.ts';
import type { LogSection } from './build-log.ts';
import { StepHeader } from './step-header.tsx';
import { type Connection, useBuildLog } from './use-build-log.ts';

type Props = { deployment: Deployment; steps: readonly Step[] };

const headerPx = 36;
const noLines: LogSection['lines'] = [];

/** The live log of a deployment, with a section for each step. */
export function BuildLogView({ deployment, steps }: Props) {
  const { log, version, connection, error, retry } = useBuildLog(deployment.id);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const blocks = useMemo(() => blocksOf(log.sections, steps, folded), [log, version, steps, folded]);
  const fold = (name: string, isFolded: boolean) =>
    setFolded((before) =>
      isFolded ? new Set([...before, name]) : new Set([...before].filter((each) => each !== name)),
    );
  const [startsAtEnd] = useState(isUnfinishedDeployment(deployment));
  const view = useLogView({ blocks, version, startsAtEnd, onUnfold: (name) => fold(name, false) });
  const firstError = log.firstError(deployment.error?.step ?? undefined);
  const isLoaded = connection === 'over' || (isUnfinishedDeployment(deployment) && log.lineCount > 0);
  const isAnyOpen = blocks.some(({ isFolded, lines }) => lines.length > 0 && !isFolded);
  const buttons = (
    <>
      {firstError && (
        <Button size="small" onClick={() => view.goTo(firstError)} className="text-danger!">
          <Icon name="warning" size={15} />
          First error
        </Button>
      )}
      {log.lineCount > 0 && (
        <Button size="small" onClick={() => setFolded(new Set(isAnyOpen ? blocks.map(({ id }) => id) : []))}>
          {isAnyOpen ? 'Fold all' : 'Unfold all'}
        </Button>
      )}
    </>
  );
  return (
    <div className="grid grid-cols-1 gap-3">
      {Boolean(error) && <Failure error={error} retry={retry} />}
      <LogPanel
        {...{ view, blocks, version, headerPx, buttons }}
        columns={{ service: deployment.services.length > 1, replica: false }}
        header={({ id, lines, isFolded }) => (
          <StepHeader
            name={id}
            step={steps.find(({ name }) => name === id)}
            lineCount={lines.length}
            isFolded={isFolded}
            onToggle={() => fold(id, !folded.has(id))}
          />
        )}
        status={<ConnectionState connection={error ? 'over' : connection} />}
        empty={blocks.length === 0 && <p className="px-3 py-2 text-muted">{emptyText(deployment)}</p>}
        onDownload={isLoaded ? () => saveText(`${deployment.id}.log`, log.text()) : undefined}
        className="max-h-[max(24rem,calc(100dvh-8rem))] min-h-24"
      />
    </div>
  );
}

/** A block for each step, including those without lines. Steps that were replanned may have left lines behind. */
function blocksOf(sections: readonly LogSection[], steps: readonly Step[], folded: ReadonlySet<string>): LogBlock[] {
  const names = new Set([...sections.map(({ step }) => step).filter((step) => !isIn(steps, step)), ...namesOf(steps)]);
  return [...names].map((id) => {
    const lines = sections.find(({ step }) => step === id)?.lines ?? noLines;
    return { id, lines, isFolded: folded.has(id) };
  });
}

const isIn = (steps: readonly Step[], step: string): boolean => steps.some(({ name }) => name === step);
const namesOf = (steps: readonly Step[]): string[] => steps.map(({ name }) => name);

const emptyText = ({ status }: Deployment): string =>
  status === 'queued'
    ? 'Queued. The steps are planned when the deployment starts.'
    : 'The deployment ended before its first step.';

const states: Record<Connection, string> = { connecting: 'Loading', open: 'Live', lost: 'Reconnecting', over: '' };

/** Shown while lines may be missing. */
function ConnectionState({ connection }: { connection: Connection }) {
  return (
    <span role="status" className="flex items-center gap-2 text-sm text-muted">
      {(connection === 'connecting' || connection === 'lost') && <Spinner size={14} />}
      {states[connection]}
    </span>
  );
}

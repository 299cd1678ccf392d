import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Card } from '../../ui/page.tsx';
import type { LogBlock } from './line-layout.ts';
import type { ShownColumns } from './log-line.tsx';
import { LogSearch } from './log-search.tsx';
import type { LogView } from './log-view.ts';
import { VirtualLines } from './virtual-lines.tsx';

type Props = {
  view: LogView;
  blocks: readonly LogBlock[];
  version: unknown;
  header?: (block: LogBlock) => ReactNode;
  headerPx?: number;
  columns: Omit<ShownColumns, 'time'>;
  /** At the start of the toolbar. */
  filters?: ReactNode;
  /** More buttons of the toolbar. */
  buttons?: ReactNode;
  /** The state of the stream. */
  status: ReactNode;
  /** Shown instead of lines; null if there are some. */
  empty: ReactNode;
  /** Undefined while there is nothing to save. */
  onDownload: (() => void) | undefined;
  /** Height of the list. */
  className: string;
};

/** A log with its toolbar. */
export function LogPanel({ view, filters, buttons, status, onDownload, className, ...list }: Props) {
  const { isFollowing, setIsFollowing, isWrapped, setIsWrapped, pattern, current } = view;
  return (
    <Card className="overflow-hidden">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line p-2.5">
        {filters}
        <LogSearch view={view} />
        <span className="flex flex-wrap items-center gap-x-3 gap-y-2">
          {buttons}
          <Checkbox checked={isWrapped} onChange={setIsWrapped}>
            Wrap lines
          </Checkbox>
          <Button size="small" disabled={!onDownload} onClick={onDownload}>
            <Icon name="download" size={15} />
            Download
          </Button>
          {status}
        </span>
      </div>
      <VirtualLines {...list} {...{ isWrapped, pattern, current, isFollowing, className }} onFollow={setIsFollowing} />
    </Card>
  );
}

/** Saves a text as a file on the user's computer. */
export function saveText(fileName: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The browser reads the URL after this task.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

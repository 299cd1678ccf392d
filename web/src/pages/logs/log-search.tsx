import { buttonLook } from '../../ui/button.tsx';
import { Icon, type IconName } from '../../ui/icons.tsx';
import type { LogView } from './log-view.ts';

/** Searches a log: Enter selects the next match, Shift+Enter the previous one. */
export function LogSearch({ view: { words, setWords, matches, at, step } }: { view: LogView }) {
  const isSearching = words.trim() !== '';
  return (
    <span className="flex min-w-0 flex-1 basis-64 items-center gap-1">
      <span className="relative min-w-0 flex-1">
        <Icon name="search" size={15} className="pointer-events-none absolute top-2 left-2.5 text-muted" />
        <input
          type="search"
          aria-label="Search the log"
          placeholder="Search the log"
          autoComplete="off"
          spellCheck={false}
          value={words}
          onChange={({ target }) => setWords(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            step(event.shiftKey ? -1 : 1);
          }}
          className="control min-h-8! py-0! pr-24! pl-8! text-sm [&::-webkit-search-cancel-button]:hidden"
        />
        <span role="status" className="pointer-events-none absolute top-1.5 right-3 text-sm text-muted tabular-nums">
          {isSearching && countOf(matches.length, at)}
        </span>
      </span>
      <Step icon="up" label="Previous match" isDisabled={!matches.length} onClick={() => step(-1)} />
      <Step icon="down" label="Next match" isDisabled={!matches.length} onClick={() => step(1)} />
    </span>
  );
}

const countOf = (count: number, at: number): string => {
  if (at >= 0) return `${at + 1} of ${count}`;
  return count ? `${count} found` : 'None';
};

type StepProps = { icon: IconName; label: string; isDisabled: boolean; onClick: () => void };

const Step = ({ icon, label, isDisabled, onClick }: StepProps) => (
  <button
    type="button"
    aria-label={label}
    title={label}
    disabled={isDisabled}
    onClick={onClick}
    className={`${buttonLook({ kind: 'quiet' })} size-8 min-h-0! shrink-0 p-0!`}
  >
    <Icon name={icon} size={16} />
  </button>
);

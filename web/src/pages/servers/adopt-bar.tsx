import { Button } from '../../ui/button.tsx';

type Props = { count: number; onAdopt: () => void; onClear: () => void };

/** The number of selected services and the action on them. Stays visible while the list scrolls. */
export const AdoptBar = ({ count, onAdopt, onClear }: Props) => (
  <div className="sticky bottom-4 z-10 flex flex-wrap items-center justify-between gap-x-4 gap-y-3 rounded-xl border border-line-strong bg-raised px-5 py-3.5 shadow-float">
    <p role="status" className="text-sm font-medium">
      {count === 1 ? '1 service selected' : `${count} services selected`}
    </p>
    <div className="flex flex-wrap gap-2">
      <Button onClick={onClear}>Clear</Button>
      <Button kind="primary" onClick={onAdopt}>
        Create a project
      </Button>
    </div>
  </div>
);

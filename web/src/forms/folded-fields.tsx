import { type ReactNode, useState } from 'react';
import { Icon } from '../ui/icons.tsx';
import { useHasError } from './form.tsx';

type Props = {
  title: string;
  means: string;
  names: readonly string[];
  /** One of the fields has a non-default value. */
  startsOpen?: boolean;
  children: ReactNode;
};

/** Fields that few people need. Opens automatically when one of `names` has an error. */
export function FoldedFields({ title, means, names, startsOpen = false, children }: Props) {
  const [isOpen, setIsOpen] = useState(startsOpen);
  const hasError = useHasError(names);
  return (
    <details
      open={isOpen || hasError}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
      className="group rounded-lg border border-line"
    >
      <summary className="flex list-none items-center gap-2 rounded-lg px-3.5 py-2.5 text-sm hover:bg-sunken [&::-webkit-details-marker]:hidden">
        <Icon name="right" size={16} className="text-muted transition-transform group-open:rotate-90" />
        <span className="font-medium">{title}</span>
        <span className="min-w-0 flex-1 truncate text-muted">{means}</span>
      </summary>
      <div className="grid grid-cols-1 gap-5 border-t border-line p-3.5">{children}</div>
    </details>
  );
}

import type { ReactNode } from 'react';
import { Icon, type IconName } from './icons.tsx';

type Props = { icon: IconName; title: string; children: ReactNode; action?: ReactNode };

export function EmptyState({ icon, title, children, action }: Props) {
  return (
    <div className="grid justify-items-center rounded-xl border border-dashed border-line-strong px-6 py-12 text-center">
      <span className="mb-4 grid size-12 place-items-center rounded-full bg-accent-soft text-accent">
        <Icon name={icon} size={22} />
      </span>
      <h2 className="font-semibold">{title}</h2>
      <p className="mt-1 max-w-md text-muted [overflow-wrap:anywhere]">{children}</p>
      {action && <div className="mt-5">{action}</div>}
    </div>
  );
}

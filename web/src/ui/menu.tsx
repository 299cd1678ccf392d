import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icons.tsx';

type Props = { trigger: ReactNode; children: ReactNode; align?: 'start' | 'end'; side?: 'top' | 'bottom' };

/** A menu below the element that opens it, which must be a button. */
export function Menu({ trigger, children, align = 'end', side = 'bottom' }: Props) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          side={side}
          sideOffset={6}
          collisionPadding={12}
          className="z-50 min-w-[max(13rem,var(--radix-dropdown-menu-trigger-width))] max-h-(--radix-dropdown-menu-content-available-height) max-w-80 animate-rise overflow-y-auto rounded-xl border border-line bg-raised p-1.5 shadow-float"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

type ItemProps = {
  onSelect?: () => void;
  danger?: boolean | undefined;
  icon?: IconName;
  checked?: boolean;
  /** Its effect, below its title. */
  hint?: string;
  children: ReactNode;
};

const itemLook =
  'flex w-full cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-2 text-sm outline-none select-none data-highlighted:bg-sunken';

export function MenuItem({ onSelect, danger, icon, checked, hint, children }: ItemProps) {
  return (
    <DropdownMenu.Item onSelect={onSelect} className={`${itemLook} ${danger ? 'text-danger' : ''}`}>
      {icon && <Icon name={icon} size={16} className={danger ? '' : 'text-muted'} />}
      <span className="min-w-0 flex-1">
        <span className="block truncate">{children}</span>
        {hint && <span className="block text-xs text-muted">{hint}</span>}
      </span>
      {checked && <Icon name="check" size={16} className="text-accent" />}
    </DropdownMenu.Item>
  );
}

export const MenuLine = () => <DropdownMenu.Separator className="mx-1 my-1.5 h-px bg-line" />;

export const MenuTitle = ({ children }: { children: ReactNode }) => (
  <DropdownMenu.Label className="truncate px-2.5 pt-1.5 pb-1 text-xs text-muted">{children}</DropdownMenu.Label>
);

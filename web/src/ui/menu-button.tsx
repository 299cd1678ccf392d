import type { ReactNode } from 'react';
import { buttonLook } from './button.tsx';
import { Icon } from './icons.tsx';
import { Menu } from './menu.tsx';

type Props = { label: string; disabled?: boolean; children: ReactNode };

/** The three-dots menu of a row or card. */
export const MenuButton = ({ label, disabled, children }: Props) => (
  <Menu
    trigger={
      <button
        type="button"
        aria-label={label}
        disabled={disabled}
        className={`shrink-0 ${buttonLook({ kind: 'quiet', size: 'icon' })}`}
      >
        <Icon name="more" />
      </button>
    }
  >
    {children}
  </Menu>
);

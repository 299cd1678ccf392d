import { Checkbox as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { useId } from 'react';
import { Icon } from './icons.tsx';

type Props = {
  checked: boolean;
  disabled?: boolean;
  onChange: (checked: boolean) => void;
  children: ReactNode;
  /** The label is for screen readers only, as in a grid with headings. */
  bare?: boolean;
};

export function Checkbox({ checked, disabled, onChange, children, bare }: Props) {
  const id = useId();
  return (
    <span className="inline-flex items-center gap-2 align-middle">
      <Radix.Root
        id={id}
        checked={checked}
        disabled={disabled}
        onCheckedChange={(value) => onChange(value === true)}
        className="grid size-5 shrink-0 place-items-center rounded-md border border-line-strong bg-surface text-on-accent disabled:cursor-not-allowed disabled:opacity-50 data-[state=checked]:border-accent data-[state=checked]:bg-accent"
      >
        <Radix.Indicator>
          <Icon name="check" size={14} />
        </Radix.Indicator>
      </Radix.Root>
      <label htmlFor={id} className={bare ? 'sr-only' : 'text-sm'}>
        {children}
      </label>
    </span>
  );
}

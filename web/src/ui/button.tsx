import type { ButtonHTMLAttributes } from 'react';
import { Spinner } from './spinner.tsx';

const base =
  'inline-flex items-center justify-center gap-2 rounded-lg font-medium whitespace-nowrap transition-colors ' +
  'disabled:cursor-not-allowed disabled:opacity-60';

const kinds = {
  primary: 'bg-accent text-on-accent hover:bg-accent-hover',
  secondary: 'border border-line-strong bg-surface hover:bg-sunken',
  quiet: 'text-muted hover:bg-sunken hover:text-ink',
  danger: 'bg-danger text-surface hover:opacity-90',
};
const sizes = { normal: 'min-h-10 px-4', small: 'min-h-8 px-2.5 text-sm', icon: 'size-9' };

type Look = { kind?: keyof typeof kinds; size?: keyof typeof sizes };

/** The style of a button, for links that look like one. */
export const buttonLook = ({ kind = 'secondary', size = 'normal' }: Look = {}) =>
  `${base} ${kinds[kind]} ${sizes[size]}`;

type Props = ButtonHTMLAttributes<HTMLButtonElement> & Look & { busy?: boolean };

export function Button({ kind, size, busy, children, className = '', ...rest }: Props) {
  return (
    <button
      type="button"
      {...rest}
      disabled={busy || rest.disabled}
      className={`${buttonLook({ kind, size })} ${className}`}
    >
      {busy && <Spinner size={15} />}
      {children}
    </button>
  );
}

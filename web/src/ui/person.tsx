import type { ReactNode } from 'react';

export function Avatar({ name }: { name: string }) {
  const initials = name
    .split(/[\s@.]+/)
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join('');
  return (
    <span
      aria-hidden="true"
      className="grid size-9 shrink-0 place-items-center rounded-full bg-accent-soft text-xs font-semibold text-accent"
    >
      {initials}
    </span>
  );
}

export function Person({ name, email, mark }: { name: string; email: string; mark?: ReactNode }) {
  return (
    <span className="flex min-w-0 items-center gap-3">
      <Avatar name={name} />
      <span className="min-w-0">
        <span className="flex items-center gap-2">
          <span className="truncate font-medium">{name}</span>
          {mark}
        </span>
        <span className="block truncate text-sm text-muted">{email}</span>
      </span>
    </span>
  );
}

import type { ReactNode } from 'react';
import { CopyText } from '../../ui/copy-text.tsx';
import type { DnsRecord } from './dns-records.ts';

/** DNS records to create, each part with a copy button. */
export function DnsRecordList({ records }: { records: DnsRecord[] }) {
  if (!records.length) return null;
  return (
    <ul aria-label="DNS records to set" className="mt-2.5 grid gap-2">
      {records.map(({ type, name, value }) => (
        <li
          key={`${type} ${value}`}
          className="grid gap-x-4 gap-y-1 rounded-md border border-line bg-surface px-3 py-2 text-ink sm:grid-cols-[4rem_minmax(0,1fr)_minmax(0,1fr)]"
        >
          <Part title="Type">
            <code className="font-mono text-sm/8">{type}</code>
          </Part>
          <Part title="Name">
            <CopyText label={`Copy the name ${name}`} text={name} />
          </Part>
          <Part title="Value">
            <CopyText label={`Copy the value ${value}`} text={value} />
          </Part>
        </li>
      ))}
    </ul>
  );
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="flex min-w-0 items-baseline gap-3 sm:block">
    <span className="w-11 shrink-0 text-xs text-muted">{title}</span>
    <div className="min-w-0 flex-1">{children}</div>
  </div>
);

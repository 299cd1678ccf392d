import type { Domain } from '../../api.ts';
import { dayOf } from '../../times.ts';
import { Badge } from '../../ui/badge.tsx';

type Kind = Parameters<typeof Badge>[0]['kind'];
type Status = NonNullable<Domain['pointing']>['status'];

const dnsLooks: Record<Status, [title: string, kind: Kind]> = {
  here: ['Leads here', 'good'],
  not_found: ['No address', 'warn'],
  elsewhere: ['Leads elsewhere', 'warn'],
  unreachable: ['Not reached', 'warn'],
};

export function DnsBadge({ domain: { pointing } }: { domain: Domain }) {
  if (!pointing) return <Badge>Not looked at yet</Badge>;
  const [title, kind] = dnsLooks[pointing.status];
  return (
    <span title={pointing.addresses.join(', ') || undefined}>
      <Badge kind={kind}>{title}</Badge>
    </span>
  );
}

const soonDays = 14;

/** How long it is good for and whose it is. Where the name leads here, what is to be done is about the certificate. */
export function CertificateBadge({ domain: { certificate, pointing, action } }: { domain: Domain }) {
  const hasFailed = pointing?.status === 'here' && action.required;
  if (!certificate) return hasFailed ? <Badge kind="warn">Not issued</Badge> : <Badge>None yet</Badge>;
  const { daysLeft, validTo, issuer, source } = certificate;
  const isOver = Date.parse(validTo) <= Date.now();
  const kind = isOver ? 'danger' : daysLeft < soonDays ? 'warn' : 'good';
  return (
    <>
      <span title={`Until ${dayOf(validTo)}`}>
        <Badge kind={kind}>{isOver ? 'Over' : daysLeft === 1 ? '1 day left' : `${daysLeft} days left`}</Badge>
      </span>
      <span className="text-muted [overflow-wrap:anywhere]">
        {source === 'uploaded' ? `uploaded, by ${issuer}` : `by ${issuer}`}
      </span>
    </>
  );
}

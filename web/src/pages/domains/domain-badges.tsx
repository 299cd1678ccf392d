import type { Domain } from '../../api.ts';
import { dayOf } from '../../times.ts';
import { Badge } from '../../ui/badge.tsx';

type Kind = Parameters<typeof Badge>[0]['kind'];
type Status = NonNullable<Domain['pointing']>['status'];

const dnsLooks: Record<Status, [title: string, kind: Kind]> = {
  here: ['Points here', 'good'],
  not_found: ['No DNS record', 'warn'],
  elsewhere: ['Points elsewhere', 'warn'],
  unreachable: ['Unreachable', 'warn'],
};

export function DnsBadge({ domain: { pointing } }: { domain: Domain }) {
  if (!pointing) return <Badge>Not checked yet</Badge>;
  const [title, kind] = dnsLooks[pointing.status];
  return (
    <span title={pointing.addresses.join(', ') || undefined}>
      <Badge kind={kind}>{title}</Badge>
    </span>
  );
}

const soonDays = 14;

/** Validity and issuer. When the DNS points here, a required action is about the certificate. */
export function CertificateBadge({ domain: { certificate, pointing, action } }: { domain: Domain }) {
  const hasFailed = pointing?.status === 'here' && action.required;
  if (!certificate) return hasFailed ? <Badge kind="warn">Not issued</Badge> : <Badge>None yet</Badge>;
  const { daysLeft, validTo, issuer, source } = certificate;
  const isExpired = Date.parse(validTo) <= Date.now();
  const kind = isExpired ? 'danger' : daysLeft < soonDays ? 'warn' : 'good';
  return (
    <>
      <span title={`Valid until ${dayOf(validTo)}`}>
        <Badge kind={kind}>{isExpired ? 'Expired' : daysLeft === 1 ? '1 day left' : `${daysLeft} days left`}</Badge>
      </span>
      <span className="text-muted [overflow-wrap:anywhere]">
        {source === 'uploaded' ? `uploaded, issued by ${issuer}` : `issued by ${issuer}`}
      </span>
    </>
  );
}

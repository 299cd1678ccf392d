import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { auditQuery } from '../../api.ts';
import { toAudit } from '../../paths.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { AuditLine } from '../audit/audit-line.tsx';

const limit = 6;

export function LatestActivity() {
  const log = useInfiniteQuery(auditQuery({ limit }, () => ({ limit })));
  const all = (
    <Link {...toAudit()} className="rounded text-accent hover:underline">
      See all
    </Link>
  );
  return (
    <Section title="Latest activity" aside={all}>
      <Loaded query={log} lines={4}>
        {({ pages }) => (
          <Card>
            <ul className="divide-y divide-line">
              {pages[0]?.data.map((entry) => (
                <li key={entry.id} className="flex flex-wrap items-baseline justify-between gap-x-6 px-5 py-3">
                  <AuditLine entry={entry} />
                  <span className="text-sm text-muted">
                    <Time at={entry.at} />
                  </span>
                </li>
              ))}
            </ul>
          </Card>
        )}
      </Loaded>
    </Section>
  );
}

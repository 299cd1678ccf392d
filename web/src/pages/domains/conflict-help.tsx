import { ApiError } from '@mooring/client';
import type { Domain } from '../../api.ts';
import { Notice } from '../../ui/notice.tsx';
import { DnsRecordList } from './dns-record-list.tsx';
import { recordsIn } from './dns-records.ts';

type Props = { error: unknown; name: string | undefined; domains: Domain[] };

/** How to resolve a conflict. The API's own message is shown above it. */
export function ConflictHelp({ error, name = '', domains }: Props) {
  if (!(error instanceof ApiError)) return null;
  const asked = name.toLowerCase();
  const records = recordsIn(error.message, asked).filter(({ type }) => type === 'TXT');
  if (records.length)
    return (
      <Notice>
        <p>Create this record at your DNS provider, wait a few minutes, and add the domain again.</p>
        <DnsRecordList records={records} />
      </Notice>
    );
  if (error.status !== 409) return null;
  // The message contains the stored form of the name: lower-case, without a trailing dot, in ASCII.
  const isListed = domains.some((each) => error.message.split(' ').includes(each.name));
  return (
    <Notice>
      {isListed
        ? 'The domain is already in the list. Edit it there. To move it to another environment, remove it first.'
        : 'A domain can belong to one project of the instance only. Remove it from that project first.'}
    </Notice>
  );
}

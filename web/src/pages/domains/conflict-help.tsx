import { ApiError } from '@mooring/client';
import type { Domain } from '../../api.ts';
import { Notice } from '../../ui/notice.tsx';
import { DnsRecordList } from './dns-record-list.tsx';
import { recordsIn } from './dns-records.ts';

type Props = { error: unknown; name: string | undefined; domains: Domain[] };

/** What can be done about a name that could not be had. What the API says of it stands above. */
export function ConflictHelp({ error, name = '', domains }: Props) {
  if (!(error instanceof ApiError)) return null;
  const asked = name.toLowerCase();
  const records = recordsIn(error.message, asked).filter(({ type }) => type === 'TXT');
  if (records.length)
    return (
      <Notice>
        <p>Set this record where the DNS of the name is kept, wait a few minutes, and add the name again.</p>
        <DnsRecordList records={records} />
      </Notice>
    );
  if (error.status !== 409) return null;
  const isListed = domains.some((each) => each.name === asked);
  return (
    <Notice>
      {isListed
        ? 'It is in the list already. Edit it there; to move it to another environment, remove it first.'
        : 'One project has a name, in the whole instance. Whoever has it there has to remove it first.'}
    </Notice>
  );
}

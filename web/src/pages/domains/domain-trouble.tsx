import { asSentence, type Domain, sentenceOf } from '../../api.ts';
import { Notice } from '../../ui/notice.tsx';
import type { DomainChanges } from './domain-changes.ts';
import { DnsRecordList } from './dns-record-list.tsx';
import { recordsIn } from './dns-records.ts';
import { NextTry } from './renew-progress.tsx';

type Props = { domain: Domain; changes: DomainChanges };

/** Why a domain does not serve, with the fix, and why the last change failed. */
export function DomainTrouble({ domain, changes: { error, failed } }: Props) {
  const { name, action } = domain;
  const reason = Boolean(error) && sentenceOf(error);
  // A failed order often repeats the required action: show it once.
  const isSame = Boolean(error instanceof Error && action.message && error.message.includes(action.message));
  return (
    <>
      {action.required && (
        <Notice kind="warn">
          <p className="font-medium">Action required</p>
          {action.message && <p className="text-ink">{asSentence(action.message)}</p>}
          {action.fix && (
            <p className="mt-1 text-ink">
              <span className="font-medium">To fix it:</span> {asSentence(action.fix)}
            </p>
          )}
          <DnsRecordList records={recordsIn(action.fix ?? '', name)} />
        </Notice>
      )}
      {reason && (
        <Notice kind="danger" alert>
          {failed === 'renew' ? (
            <>
              <p className="font-medium">No new certificate was issued</p>
              <p className="text-ink">{isSame ? 'The reason and the fix are above.' : reason}</p>
              <NextTry name={name} />
            </>
          ) : (
            reason
          )}
        </Notice>
      )}
    </>
  );
}

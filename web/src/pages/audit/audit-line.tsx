import type { AuditEntry } from '../../api.ts';
import { Badge } from '../../ui/badge.tsx';
import { sentencePartsOf } from './sentences.ts';

/** `ada@example.org created the access token CI`. */
export function AuditLine({ entry }: { entry: AuditEntry }) {
  return (
    <span className="[overflow-wrap:anywhere]">
      <span className="font-medium">{entry.actor.name}</span>{' '}
      {sentencePartsOf(entry).map(({ text, strong }, index) =>
        strong ? (
          <span key={index} className="font-medium">
            {text}
          </span>
        ) : (
          <span key={index} className="text-muted">
            {text}
          </span>
        ),
      )}
      {entry.actor.tokenId && (
        <>
          {' '}
          <Badge>by token</Badge>
        </>
      )}
    </span>
  );
}

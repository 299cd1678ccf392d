import type { ReactNode } from 'react';
import { asSentence } from '../../api.ts';
import type { CloudLink } from '../../cloud-queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Notice } from '../../ui/notice.tsx';
import { OutsideLink } from '../../ui/outside-link.tsx';
import { Time } from '../../ui/time.tsx';

type Props = { link: CloudLink; isAsking: boolean; askAgain: () => void };

/** The address of the cloud, our account there, and whether it responds. */
export function CloudFacts({ link, isAsking, askAgain }: Props) {
  const { url, account, organization, projects, linkedAt, reachable, problem, from } = link;
  const rows: [string, ReactNode][] = [
    ['Cloud', url && <OutsideLink url={url} />],
    ['Account there', account],
    ['Organization there', organization?.name],
    ['Status', reachable ? <Badge kind="good">Reachable</Badge> : <Badge kind="danger">Not working</Badge>],
    ['Projects there', projects === 0 ? 'None' : String(projects)],
    ['Linked', linkedAt ? <Time at={linkedAt} /> : from === 'settings' && 'For the whole instance, by its settings'],
  ];
  return (
    <div className="grid grid-cols-1 gap-3">
      <Facts rows={rows} />
      {!reachable && (
        <Notice kind="warn" alert>
          <p className="font-medium">{asSentence(problem ?? 'the cloud does not respond')}</p>
          <p className="mt-1 text-ink">
            {projects > 0 && 'Deployments there keep running. '}
            {from === 'settings'
              ? 'Its address and the token come from the settings of the instance.'
              : 'If its address or token has changed, replace the link.'}
          </p>
          <Button size="small" busy={isAsking} onClick={askAgain} className="mt-3 text-ink">
            Try again
          </Button>
        </Notice>
      )}
    </div>
  );
}

import { useQuery } from '@tanstack/react-query';
import { healthQuery } from '../../api.ts';
import { type InstanceUpdate, instanceUpdateQuery, isUpdating } from '../../update-queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { OutsideLink } from '../../ui/outside-link.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { UpdateOffer } from './update-offer.tsx';
import { UpdateOutcome } from './update-outcome.tsx';
import { UpdateProgress } from './update-progress.tsx';
import { Workers } from './workers.tsx';

/** For the instance owner. */
export function InstancePage() {
  const query = useQuery(instanceUpdateQuery);
  return (
    <Page title="Instance" lead="This installation of Mooring. Only you, its owner, can open this page.">
      <Loaded query={query}>
        {(data) => (
          <>
            <Section title="Version">
              <VersionFacts data={data} />
            </Section>
            {isUpdating(data.update) ? (
              <UpdateProgress run={data.update!} isAway={query.failureCount > 0} />
            ) : (
              <>
                {data.update && <UpdateOutcome run={data.update} version={data.version} />}
                <UpdateOffer data={data} />
              </>
            )}
          </>
        )}
      </Loaded>
      <Workers />
    </Page>
  );
}

function VersionFacts({ data }: { data: InstanceUpdate }) {
  const { data: health } = useQuery(healthQuery);
  const { version, latestVersion, isNewer, changelogUrl, checkedAt, checkError } = data;
  return (
    <Facts
      rows={[
        ['Installed', version],
        [
          'Latest',
          latestVersion && (
            <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
              {latestVersion}
              {isNewer && <Badge kind="accent">New</Badge>}
              {changelogUrl && <OutsideLink url={changelogUrl}>Changelog</OutsideLink>}
            </span>
          ),
        ],
        ['Checked', checkedAt ? <Time at={checkedAt} /> : 'Never: MOORING_UPDATE_URL is not set'],
        ['Last check failed', checkError],
        ['Mode', health?.mode],
      ]}
    />
  );
}

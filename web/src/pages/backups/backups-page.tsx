import { Page } from '../../ui/page.tsx';
import { BackupHistory, RestoreHistory } from './history.tsx';
import { KeysSection, KeyWarning } from './keys-section.tsx';
import { PolicyList } from './policy-list.tsx';

/** The backups of all projects, and the keys that they are encrypted with. */
export function BackupsPage() {
  return (
    <Page title="Backups" lead="Backups of volumes and databases of all projects, and whether they are up to date.">
      <KeyWarning />
      <PolicyList />
      <BackupHistory />
      <RestoreHistory />
      <KeysSection />
    </Page>
  );
}

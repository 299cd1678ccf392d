import { unwrap } from '@mooring/client';
import { client, useChange, useSession } from '../../api.ts';
import { Form, FormActions } from '../../forms/form.tsx';
import { TextField } from '../../forms/text-field.tsx';
import { byResource, resourceTitle, usePermissions } from '../../permissions.ts';
import { roleMeans, roleTitle } from '../../roles.ts';
import { Badge } from '../../ui/badge.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Card, Page, Section } from '../../ui/page.tsx';
import { useToast } from '../../ui/toast.tsx';
import { CloudLinkSection } from './cloud-section.tsx';
import { LeaveSection } from './leave-section.tsx';
import { LimitsSection } from './limits-section.tsx';

export function OrganizationPage() {
  const { organization } = useSession();
  const may = usePermissions();
  if (!organization) return null;
  return (
    <Page title={organization.name} lead="The organization that you are working in. It owns everything you see here.">
      <Section title="General">
        <Card className="grid gap-6 p-5 sm:max-w-lg">
          {may('organization:admin') && <RenameForm key={organization.name} name={organization.name} />}
          <CopyField label="Organization id" value={organization.id} />
        </Card>
      </Section>
      <Section title="Your role">
        <Card className="p-5 sm:max-w-lg">
          <Badge kind="accent">{roleTitle(organization.role)}</Badge>
          <p className="mt-2 text-muted">{roleMeans(organization.role)}</p>
          <Permissions permissions={organization.permissions} />
        </Card>
      </Section>
      <CloudLinkSection />
      <LimitsSection />
      <LeaveSection />
    </Page>
  );
}

function RenameForm({ name }: { name: string }) {
  const toast = useToast();
  const rename = useChange(async (next: string) => {
    await unwrap(client.PATCH('/api/organizations/current', { body: { name: next } }));
    toast('The organization is renamed');
  });
  return (
    <Form change={rename} onSubmit={(value) => rename.mutate(value('name'))}>
      <TextField label="Name" name="name" defaultValue={name} autoComplete="organization" required />
      <FormActions submit="Rename" />
    </Form>
  );
}

function Permissions({ permissions }: { permissions: string[] }) {
  return (
    <details className="mt-3">
      <summary className="w-fit rounded text-sm text-accent">What you may do</summary>
      <dl className="mt-3 grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 text-sm">
        {[...byResource(permissions)].map(([resource, actions]) => (
          <div key={resource} className="contents">
            <dt>{resourceTitle(resource)}</dt>
            <dd className="text-muted">{actions.join(', ')}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

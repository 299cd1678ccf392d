import type { ReactNode } from 'react';
import { Form, FormActions, type FormValues } from '../../forms/form.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { type ProjectChange, type SettingsProps, useSaveSettings } from './save-settings.ts';

type GroupProps = SettingsProps & {
  title: string;
  lead?: ReactNode;
  read: (value: FormValues) => ProjectChange;
  children: ReactNode;
};

/** Fields that are saved together. */
export function SettingsGroup({ title, lead, read, children, ...of }: GroupProps) {
  const save = useSaveSettings(of);
  return (
    <Section title={title}>
      <Card className="p-5">
        {lead && <div className="mb-4 text-sm text-muted">{lead}</div>}
        <Form change={save} onSubmit={(value) => save.mutate(read(value))}>
          <div className="grid gap-5 sm:grid-cols-2">{children}</div>
          <FormActions submit="Save" />
        </Form>
      </Card>
    </Section>
  );
}

import { unwrap } from '@mooring/client';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client, useChange } from '../../api.ts';
import { Form, FormActions } from '../../forms/form.tsx';
import { SelectField } from '../../forms/select-field.tsx';
import { TextField } from '../../forms/text-field.tsx';
import type { GitAccount } from '../../githost-queries.ts';
import { toRepository } from '../../paths.ts';
import { useResourcePermissions } from '../../permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';

/** The accounts in which the signed-in person may create repositories. */
export function useOwners(accounts: GitAccount[]): string[] {
  const mayOn = useResourcePermissions();
  return accounts.map(({ login }) => login).filter((login) => mayOn('repository', `${login}/*`, 'write'));
}

type Props = { owners: string[]; onClose: () => void };

export function NewRepositoryDialog({ owners, onClose }: Props) {
  const [owner, setOwner] = useState(owners[0] ?? '');
  const [isPrivate, setIsPrivate] = useState(true);
  const toast = useToast();
  const navigate = useNavigate();
  const create = useChange(async (name: string) => {
    const body = { name, owner, private: isPrivate };
    const { data } = await unwrap(client.POST('/api/githost/repos', { body }));
    toast(`${data.fullName} created`);
    await navigate(toRepository(data.fullName));
  });
  return (
    <Dialog
      title="New repository"
      lead="An empty repository at the git host. Push to it, then deploy it."
      onClose={onClose}
    >
      <Form change={create} onSubmit={(value) => create.mutate(value('name').trim())}>
        <SelectField
          label="Account"
          name="owner"
          options={owners.map((value) => ({ value, title: value }))}
          value={owner}
          onChange={setOwner}
        />
        <TextField
          label="Name"
          name="name"
          placeholder="shop"
          hint="Letters, digits, dots, dashes and underscores."
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={100}
          required
          autoFocus
        />
        <Checkbox checked={isPrivate} onChange={setIsPrivate}>
          Private
        </Checkbox>
        <FormActions submit="Create repository">
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}

import { type Schemas, unwrap } from '@mooring/client';
import { defineCommand } from '../../command.ts';
import { signedInClient } from '../../instance.ts';
import { bold, plainText } from '../../output.ts';

export const whoami = defineCommand({
  name: 'whoami',
  summary: 'Show your account, organization and permissions',
  async run({ out, instance }) {
    const here = instance();
    const { data: me } = await unwrap(signedInClient(here).GET('/api/me'));
    out.print({ url: here.url, ...me }, () => `${describe(me)}\nat ${here.url}`);
  },
});

function describe({ user, organization }: Schemas['Me']): string {
  const who = `${bold(plainText(user.email))} (${plainText(user.name)})${user.isInstanceOwner ? ', owner of the instance' : ''}`;
  if (!organization) return `${who}, in no organization`;
  const { name, id, role, permissions } = organization;
  return `${who}\n${role} of ${plainText(name)} (${id}), ${permissions.length} permissions`;
}

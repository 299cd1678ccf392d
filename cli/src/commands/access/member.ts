import { type Schemas, unwrap } from '@mooring/client';
import { defineCommand } from '../../command.ts';
import { signedInClient } from '../../instance.ts';
import { type Column, shortTime } from '../../output.ts';

type Member = Schemas['Member'];

const columns: Column<Member>[] = [
  { heading: 'ID', value: ({ id }) => id },
  { heading: 'E-MAIL', value: ({ email }) => email },
  { heading: 'NAME', value: ({ name }) => name },
  { heading: 'ROLE', value: ({ role }) => role },
  { heading: 'SINCE', value: ({ createdAt }) => shortTime(createdAt) },
];

const list = defineCommand({
  name: 'member list',
  summary: 'List the members of the organization',
  async run({ out, instance }) {
    const { data } = await unwrap(signedInClient(instance()).GET('/api/members'));
    out.list(data, columns);
  },
});

const invite = defineCommand({
  name: 'invite',
  parameters: ['<email>'],
  summary: 'Invite somebody to the organization and print the link',
  options: {
    role: { type: 'string', value: '<role>', help: 'owner, admin, member (the default), viewer or restricted' },
  },
  async run({ args: [email = ''], values, out, instance }) {
    // The service validates the role and lists the valid ones.
    const role = (values.role ?? 'member') as Member['role'];
    const { data } = await unwrap(signedInClient(instance()).POST('/api/invitations', { body: { email, role } }));
    out.print(data, () => data.url);
    out.note(
      `Mooring sends no e-mail: share the link with ${data.email}. It works once, until ${shortTime(data.expiresAt)}.`,
    );
  },
});

export const memberCommands = [list, invite];

import { Failure, UsageError } from './errors.ts';
import { plainText } from './output.ts';
import { promptText, isInteractive } from './prompt.ts';

type Organization = { id: string; name: string; role: string };

/** Returns the named organization, the only one, or the one that the person selects. */
export async function chooseOrganization(all: Organization[], named: string | undefined): Promise<Organization> {
  if (!all.length) throw new Failure('you are not a member of any organization; ask for an invitation');
  if (named !== undefined) return theNamed(all, named);
  if (all.length === 1) return all[0]!;
  if (!isInteractive())
    throw new UsageError(
      `you are a member of several organizations; choose one with --organization: ${all.map(label).join(', ')}`,
    );
  return pick(all);
}

function theNamed(all: Organization[], named: string): Organization {
  const [found, another] = all.filter((each) => isNamed(each, named));
  if (!found)
    throw new Failure(`you are not a member of an organization ${named}; yours: ${all.map(label).join(', ')}`);
  if (another)
    throw new Failure(`several organizations are called ${named}; name one by its id: ${all.map(label).join(', ')}`);
  return found;
}

export const isNamed = ({ id, name }: { id: string; name: string }, text: string) =>
  id === text || name.toLowerCase() === text.toLowerCase();

const label = ({ id, name }: Organization) => `${plainText(name)} (${id})`;

async function pick(all: Organization[]): Promise<Organization> {
  const lines = all.map(({ name, role }, index) => `  ${index + 1}  ${plainText(name)} (${role})\n`);
  process.stderr.write(`Your organizations:\n${lines.join('')}`);
  for (;;) {
    const answer = await promptText('Organization', '1');
    const picked = all[Number(answer) - 1] ?? all.find((each) => isNamed(each, answer));
    if (picked) return picked;
    process.stderr.write(`Enter a number from 1 to ${all.length}, or a name.\n`);
  }
}

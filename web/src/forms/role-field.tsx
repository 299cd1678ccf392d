import { useSession } from '../api.ts';
import { type Role, roleMeans, rolesToGive, roleTitle } from '../roles.ts';
import { ChoiceField } from './choice-field.tsx';

/** The roles that the signed-in person may assign. */
export function RoleField({ value, onChange }: { value: Role; onChange: (role: Role) => void }) {
  const own = useSession().organization?.role ?? '';
  const choices = rolesToGive(own).map((role) => ({ value: role, title: roleTitle(role), means: roleMeans(role) }));
  return <ChoiceField label="Role" name="role" choices={choices} value={value} onChange={onChange} />;
}

import { useNavigate } from '@tanstack/react-router';
import { sentenceOf, useSession } from '../api.ts';
import { paths } from '../paths.ts';
import { useSignOut } from '../session.ts';
import { Icon } from '../ui/icons.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { Person } from '../ui/person.tsx';
import { useToast } from '../ui/toast.tsx';

export function AccountMenu({ onLeave }: { onLeave?: () => void }) {
  const { user } = useSession();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const toast = useToast();
  const openAccount = () => {
    onLeave?.();
    void navigate({ to: paths.account });
  };
  return (
    <Menu align="start" side="top" trigger={<Trigger name={user.name} email={user.email} />}>
      <MenuItem icon="person" onSelect={openAccount}>
        Your account
      </MenuItem>
      <MenuItem icon="out" onSelect={() => void signOut().catch((error: unknown) => toast(sentenceOf(error)))}>
        Sign out
      </MenuItem>
    </Menu>
  );
}

function Trigger({ name, email, ...button }: { name: string; email: string }) {
  return (
    <button
      type="button"
      {...button}
      className="flex w-full items-center gap-2 rounded-lg px-2 py-1.5 text-left hover:bg-sunken"
    >
      <span className="min-w-0 flex-1">
        <Person name={name} email={email} />
      </span>
      <Icon name="chevrons" size={16} className="text-muted" />
    </button>
  );
}

import { Dialog } from 'radix-ui';
import { useState } from 'react';
import { useSession } from '../api.ts';
import { buttonLook } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { Logo } from '../ui/logo.tsx';
import { Sidebar } from './sidebar.tsx';

/** The bar on narrow screens; it opens the sidebar as a drawer. */
export function NarrowBar() {
  const { organization } = useSession();
  const [open, setOpen] = useState(false);
  return (
    <header className="sticky top-0 z-30 flex items-center justify-between border-b border-line bg-surface px-4 py-2.5 lg:hidden">
      <span className="flex min-w-0 items-center gap-3">
        <Logo />
        <span className="truncate border-l border-line pl-3 text-sm text-muted">{organization?.name}</span>
      </span>
      <Dialog.Root open={open} onOpenChange={setOpen}>
        <Dialog.Trigger aria-label="Menu" className={buttonLook({ kind: 'quiet', size: 'icon' })}>
          <Icon name="menu" size={22} />
        </Dialog.Trigger>
        <Dialog.Portal>
          <Dialog.Overlay className="fixed inset-0 z-40 animate-fade bg-[rgb(6_16_22/0.55)]" />
          <Dialog.Content
            aria-describedby={undefined}
            className="fixed inset-y-0 left-0 z-40 w-72 max-w-[85vw] animate-fade bg-surface shadow-float"
          >
            <Dialog.Title className="sr-only">Menu</Dialog.Title>
            <Sidebar onLeave={() => setOpen(false)} />
            <Dialog.Close
              aria-label="Close"
              className={`absolute top-4 right-4 ${buttonLook({ kind: 'quiet', size: 'icon' })}`}
            >
              <Icon name="close" />
            </Dialog.Close>
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>
    </header>
  );
}

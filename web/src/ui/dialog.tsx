import { Dialog as Radix } from 'radix-ui';
import { type ReactNode, useRef } from 'react';
import { Icon } from './icons.tsx';
import { buttonLook } from './button.tsx';
import { useReturnFocus } from './return-focus.ts';

type Props = {
  title: string;
  lead?: ReactNode;
  wide?: boolean;
  /** Closes only by its buttons, not by Escape or a click outside. */
  stays?: boolean;
  onClose: () => void;
  children: ReactNode;
};

/** A dialog that is open while it is rendered. */
export function Dialog({ title, lead, wide, stays = false, onClose, children }: Props) {
  const returnFocus = useReturnFocus();
  const isEdited = useRef(stays);
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 grid animate-fade place-items-center overflow-y-auto bg-[rgb(6_16_22/0.55)] p-3 sm:p-6">
          <Radix.Content
            onCloseAutoFocus={returnFocus}
            onChange={() => (isEdited.current = true)}
            // A click outside must not discard what was typed.
            onEscapeKeyDown={(event) => stays && event.preventDefault()}
            onPointerDownOutside={(event) => isEdited.current && event.preventDefault()}
            {...(!lead && { 'aria-describedby': undefined })}
            className={`relative w-full animate-rise rounded-2xl border border-line bg-raised p-5 shadow-float sm:p-6 ${wide ? 'max-w-2xl' : 'max-w-md'}`}
          >
            <Radix.Title className="pr-10 text-lg font-semibold tracking-tight [overflow-wrap:anywhere]">
              {title}
            </Radix.Title>
            {lead && <Radix.Description className="mt-1 text-muted [overflow-wrap:anywhere]">{lead}</Radix.Description>}
            <Radix.Close
              aria-label="Close"
              className={`absolute top-4 right-4 ${buttonLook({ kind: 'quiet', size: 'icon' })}`}
            >
              <Icon name="close" />
            </Radix.Close>
            <div className="mt-5">{children}</div>
          </Radix.Content>
        </Radix.Overlay>
      </Radix.Portal>
    </Radix.Root>
  );
}

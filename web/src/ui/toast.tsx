import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react';
import { Icon } from './icons.tsx';

type Undo = { text: string; run: () => void };
type Toast = { id: number; text: string; undo?: Undo | undefined };

const shownMs = 5000;
const undoMs = 10_000;
const ToastContext = createContext<(text: string, undo?: Undo) => void>(() => undefined);

/** Confirms a success briefly: `toast('Token revoked')`, optionally with an undo button. Errors stay beside their
 * cause. */
export const useToast = () => useContext(ToastContext);

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([]);
  const last = useRef(0);
  const hide = (id: number) => setToasts((shown) => shown.filter((toast) => toast.id !== id));
  const show = useCallback((text: string, undo?: Undo) => {
    const id = (last.current += 1);
    setToasts((shown) => [...shown, { id, text, undo }]);
    setTimeout(() => hide(id), undo ? undoMs : shownMs);
  }, []);
  return (
    <ToastContext value={show}>
      {children}
      <div
        aria-live="polite"
        className="pointer-events-none fixed inset-x-4 bottom-4 z-50 grid justify-items-center gap-2 sm:justify-items-end"
      >
        {toasts.map(({ id, text, undo }) => (
          <div
            key={id}
            className="flex max-w-full animate-rise items-center gap-2.5 rounded-lg bg-ink px-4 py-2.5 text-sm text-canvas shadow-float"
          >
            <Icon name="check" size={16} />
            <span className="[overflow-wrap:anywhere]">{text}</span>
            {undo && (
              <button
                type="button"
                className="pointer-events-auto rounded font-medium underline"
                onClick={() => {
                  hide(id);
                  undo.run();
                }}
              >
                {undo.text}
              </button>
            )}
          </div>
        ))}
      </div>
    </ToastContext>
  );
}

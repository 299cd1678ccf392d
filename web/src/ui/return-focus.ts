import { useState } from 'react';

// A dialog may follow another; what opened the first is then what opened the second.
let last: Element | null = null;

function findOpener(): Element | null {
  if (document.querySelector('[role="dialog"], [role="alertdialog"]')) return last;
  const active = document.activeElement;
  // A menu is gone when the dialog closes, so the button of the menu stands in for it.
  const menu = active?.closest('[role="menu"]');
  last = menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : active;
  return last;
}

/** Brings the keyboard back to where it was before a dialog, or to the page's content if that is gone. */
export function useReturnFocus(): (event: Event) => void {
  const [opener] = useState(findOpener);
  return (event) => {
    event.preventDefault();
    const target = opener?.isConnected && opener !== document.body ? opener : document.getElementById('main');
    if (target instanceof HTMLElement) target.focus({ preventScroll: true });
  };
}

import { useEffect, useState } from 'react';

/** Seconds since the component was mounted. */
export function useSeconds(): number {
  const [began] = useState(Date.now);
  const [now, setNow] = useState(began);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return Math.floor((now - began) / 1000);
}

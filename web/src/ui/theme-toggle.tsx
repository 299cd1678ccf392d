import { setTheme, themes, useTheme } from '../theme.ts';
import { Icon } from './icons.tsx';

const titles = { system: 'As the system', light: 'Light', dark: 'Dark' };

export function ThemeToggle() {
  const theme = useTheme();
  return (
    <div role="group" aria-label="Colours" className="inline-flex rounded-lg border border-line bg-sunken p-0.5">
      {themes.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === theme}
          aria-label={titles[each]}
          title={titles[each]}
          onClick={() => setTheme(each)}
          className="grid h-7 w-8 place-items-center rounded-md text-muted hover:text-ink aria-pressed:bg-raised aria-pressed:text-ink aria-pressed:ring-1 aria-pressed:ring-line-strong/60"
        >
          <Icon name={each} size={15} />
        </button>
      ))}
    </div>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { signOut } from '../api/auth.ts';
import { useSession } from '../api/session.ts';
import { Icon } from '../parts/icon.tsx';
import { Segmented } from '../parts/segmented.tsx';
import { LANGUAGES, type Language } from '../text/language.ts';
import { useText } from '../text/use-text.ts';
import { usePreferredLanguage } from './language-area.tsx';
import { applyTheme, readTheme, THEMES, type Theme } from './theme.ts';

export function PersonMenu() {
  const text = useText();
  const { person } = useSession();
  const id = useId();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [theme, setTheme] = useState(readTheme);
  const { language, setLanguage } = usePreferredLanguage();
  const changeTheme = (next: Theme) => {
    applyTheme(next);
    setTheme(next);
  };
  const leave = async () => {
    await signOut();
    await navigate({ to: '/sign-in' });
    queries.clear();
  };
  return (
    <>
      <button className="person" type="button" popoverTarget={id} title={text.shell.person}>
        <span className="tile" aria-hidden="true">
          {initialsOf(person.name === '' ? person.email : person.name)}
        </span>
        <span>
          <b>{person.name}</b>
          <span className="quiet">{person.email}</span>
        </span>
      </button>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would bring the style of a form */}
      <div className="menu" id={id} popover="auto" role="group" aria-label={text.shell.person}>
        <div className="menu-field">
          <span>{text.shell.theme}</span>
          <Segmented
            label={text.shell.theme}
            choice={theme}
            choices={THEMES.map((value) => ({ value, label: text.shell.themes[value] }))}
            onChoice={changeTheme}
          />
        </div>
        <div className="menu-field">
          <span>{text.shell.language}</span>
          <Segmented
            label={text.shell.language}
            choice={language}
            choices={Object.entries(LANGUAGES).map(([value, label]) => ({ value: value as Language, label }))}
            onChoice={setLanguage}
          />
        </div>
        <hr />
        <button type="button" onClick={() => void leave()}>
          <Icon name="out" />
          {text.shell.signOut}
        </button>
      </div>
    </>
  );
}

function initialsOf(name: string): string {
  const words = name.split(/[\s@.]+/).filter((word) => word !== '');
  return words
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join('');
}

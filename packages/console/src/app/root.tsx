import { Outlet } from '@tanstack/react-router';
import { ToastArea } from '../parts/toast.tsx';
import { LanguageArea } from './language-area.tsx';
import { Reauthentication } from './reauthentication.tsx';

export function Root() {
  return (
    <LanguageArea>
      <ToastArea>
        <Outlet />
        <Reauthentication />
      </ToastArea>
    </LanguageArea>
  );
}

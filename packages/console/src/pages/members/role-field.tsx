import { ROLES, type Role } from '@atelier/contract/console';
import { SelectField } from '../../parts/field.tsx';
import { useText } from '../../text/use-text.ts';

/** A role, with what it allows. */
export function RoleField({ role, onRole }: { role: Role; onRole(role: Role): void }) {
  const { members, roles } = useText();
  return (
    <SelectField
      label={members.columns.role}
      hint={members.roleHints[role]}
      choice={role}
      choices={ROLES.map((value) => ({ value, label: roles[value] }))}
      onChoice={onRole}
    />
  );
}

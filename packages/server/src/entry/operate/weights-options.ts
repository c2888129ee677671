/** What `weights --help` shows; apart from the command, so that help needs no engines. */
export const weightsOptions = [
  'list                 what there is: size, licence, provenance, which engines want it',
  'pull [id ...]        fetches the named sets, or all, and checks them; goes on where it was interrupted',
  'verify [id ...]      reads the sets that are here whole and compares their hashes',
  '--json               print the result as JSON',
];

export interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>> }>>;
}

export interface MissingBuild {
  /** The package that needs it. */
  readonly of: string;
  readonly name: string;
  readonly version: string;
}

/** Optional dependencies that the lockfile does not have: `npm ci` cannot install them, and does not say so. */
export function findMissingBuilds({ packages }: Lockfile): MissingBuild[] {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !placesOf(path, name).some((place) => place in packages))
      .map(([name, version]) => ({ of: path.replace(/^.*node_modules\//, ''), name, version })),
  );
}

/** Where Node looks for a package: beside its user, then in each folder above. */
function placesOf(path: string, name: string): string[] {
  const at = path.lastIndexOf('node_modules/');
  const above = at === -1 ? [] : placesOf(path.slice(0, at).replace(/\/$/, ''), name);
  return [
    `${path === '' ? '' : `${path}/`}node_modules/${name}`,
    ...(path === '' ? [] : above),
    `node_modules/${name}`,
  ];
}

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { findMissingBuilds, type Lockfile } from './check/find-missing-builds.ts';

/** Prints the builds for this platform that the lockfile lacks, as arguments of `npm install --no-save`. */
const lockfile = JSON.parse(readFileSync(resolve(import.meta.dirname, '../package-lock.json'), 'utf8')) as Lockfile;
const wanted = new RegExp(`[-/]${process.platform}-${process.arch}(-gnu|-glibc)?$`);
for (const { name, version } of findMissingBuilds(lockfile)) if (wanted.test(name)) console.log(`${name}@${version}`);

import type { Media } from '../media/create-media.ts';
import type { Clock } from '../platform/clock.ts';
import type { KeyRing } from '../platform/crypto.ts';
import type { Db } from '../platform/db.ts';
import type { Log } from '../platform/log.ts';
import type { ObjectStore } from '../platform/object-store/object-store.ts';
import type { Telemetry } from '../platform/telemetry.ts';
import type { Tracing } from '../platform/tracing.ts';
import type { Wake } from '../queue/wake.ts';
import type { AuthenticateKey } from './accounts/authenticate-key.ts';
import type { Catalog } from './catalog/catalog.ts';
import type { Settler } from './generations/run/create-settler.ts';
import type { SwitchBoard } from './operator/switch-board.ts';

/** Everything that operations may use. Each names only what it needs: `Pick<Services, 'db' | 'clock'>`. */
export interface Services {
  readonly db: Db;
  readonly clock: Clock;
  readonly keys: KeyRing;
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly tracing: Tracing;
  readonly store: ObjectStore;
  /** The prefix of every new object key: no other installation writes there. */
  readonly keyPrefix: string;
  readonly media: Media;
  readonly wake: Wake;
  readonly settler: Settler;
  readonly authenticateKey: AuthenticateKey;
  readonly catalog: () => Catalog;
  readonly switches: SwitchBoard;
  readonly limits: OperatorLimits;
  /** What the workers can run for live keys now, as route targets. */
  readonly offers: () => ReadonlySet<string>;
  /** Whether models without offers are listed too: in a sandbox, where test keys can use all of them. */
  readonly listsEveryModel: boolean;
  /** The CELL of this installation, which keys, purchases and callbacks name. */
  readonly cell: string;
  /** Where clients reach the API, without a trailing slash. */
  readonly publicUrl: string;
  /** Where signed links point, without a trailing slash. */
  readonly cdnUrl: string;
  readonly spoolDir: string;
}

/** Limits that the operator sets and the domain enforces. */
export interface OperatorLimits {
  readonly uploadRetentionDays: number;
  readonly outputRetentionDays: number;
  readonly eventRetentionDays: number;
  readonly generationRetentionDays: number;
  /** For uploads of accounts without a quota; 0: unlimited. */
  readonly storageQuotaBytes: number;
}

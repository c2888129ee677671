import type { Provider } from '../providers/provider.ts';
import { createSimulator } from '../providers/simulator/create-simulator.ts';
import type { Config } from './config.ts';

/** The providers of this installation by the name that catalog routes use. Test accounts reach the simulator alone. */
export function createProviders(config: Config): ReadonlyMap<string, Provider> {
  return new Map<string, Provider>([['simulator', createSimulator({ ffmpegPath: config.ffmpegPath })]]);
}

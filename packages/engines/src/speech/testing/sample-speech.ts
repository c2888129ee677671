import { join } from 'node:path';

const INPUTS = join(import.meta.dirname, '../../../../../gallery/inputs');

export const SAMPLE_PATH = join(INPUTS, 'speech.ogg');
/** What speech.ogg says. */
export const SAMPLE_TEXT =
  'The sea was calm that evening. A small boat came home with the last light, and the children ran down to the beach to help. Nobody spoke of the storm, but everyone had thought of it.';
export const SPANISH_PATH = join(INPUTS, 'speech-es.ogg');
/** What speech-es.ogg says. */
export const SPANISH_TEXT =
  'El mar estaba en calma aquella tarde. Un barco pequeño volvió con la última luz, y los niños corrieron a la playa para ayudar.';

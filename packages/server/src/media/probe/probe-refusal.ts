/** The file is at fault, in words fit for its sender. */
export class ProbeRefusal extends Error {
  override readonly name = 'ProbeRefusal';
}

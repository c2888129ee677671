import type { InferenceSession } from 'onnxruntime-node';

/** Opens a model for ONNX Runtime with as many threads as the child may use. */
export async function openSession(options: { path: string; threads: number }): Promise<InferenceSession> {
  const { InferenceSession: Session } = await import('onnxruntime-node');
  return Session.create(options.path, {
    intraOpNumThreads: options.threads,
    interOpNumThreads: 1,
    graphOptimizationLevel: 'all',
    // The arena never releases the memory of the largest run; without it a warm child shrinks again.
    enableCpuMemArena: false,
    logSeverityLevel: 3,
  });
}

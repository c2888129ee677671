/**
 * A seccomp program for bubblewrap: system calls that a media reader never needs fail with EPERM, so an exploited
 * decoder reaches neither sockets nor the kernel's riskier interfaces.
 */

interface Architecture {
  audit: number;
  refused: readonly number[];
  clone: number;
  clone3: number;
}

const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    // socket, connect, accept, bind, listen, ptrace, personality, pivot_root, chroot, mount, umount2, reboot, init_module,
    // delete_module, kexec_load, add_key, request_key, keyctl, unshare, accept4, perf_event_open, name_to_handle_at,
    // open_by_handle_at, setns, process_vm_readv, process_vm_writev, finit_module, bpf, userfaultfd, io_uring (3)
    refused: [
      41, 42, 43, 49, 50, 101, 135, 155, 161, 165, 166, 169, 175, 176, 246, 248, 249, 250, 272, 288, 298, 303, 304, 308,
      310, 311, 313, 321, 323, 425, 426, 427,
    ],
    clone: 56,
    clone3: 435,
  },
  arm64: {
    audit: 0xc00000b7,
    // the same calls under that machine's numbers
    refused: [
      198, 203, 202, 200, 201, 117, 92, 41, 51, 40, 39, 142, 105, 106, 104, 217, 218, 219, 97, 242, 241, 264, 265, 268,
      270, 271, 273, 280, 282, 425, 426, 427,
    ],
    clone: 220,
    clone3: 435,
  },
};

const LOAD_WORD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_BITS = 0x45;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const REFUSE_EPERM = 0x00050001;
const REFUSE_ENOSYS = 0x00050026;

const OFFSET_NUMBER = 0;
const OFFSET_ARCHITECTURE = 4;
const OFFSET_FIRST_ARGUMENT = 16;
const CLONE_NEWUSER = 0x10000000;
const X32_NUMBERS = 0x40000000;

/** The compiled program, or null on a machine whose call numbers are not listed. */
export function syscallFilter(architecture: string = process.arch): Buffer | null {
  const machine = ARCHITECTURES[architecture];
  if (!machine) return null;
  const program: [code: number, jumpTrue: number, jumpFalse: number, value: number][] = [
    [LOAD_WORD, 0, 0, OFFSET_ARCHITECTURE],
    [JUMP_EQUAL, 1, 0, machine.audit],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD_WORD, 0, 0, OFFSET_NUMBER],
    [JUMP_AT_LEAST, 0, 1, X32_NUMBERS],
    [RETURN, 0, 0, KILL_PROCESS],
    // Threads are created with clone, whose flags can be read here; the C library falls back to it.
    [JUMP_EQUAL, 0, 1, machine.clone3],
    [RETURN, 0, 0, REFUSE_ENOSYS],
    ...machine.refused.flatMap((number): typeof program => [
      [JUMP_EQUAL, 0, 1, number],
      [RETURN, 0, 0, REFUSE_EPERM],
    ]),
    [JUMP_EQUAL, 0, 3, machine.clone],
    [LOAD_WORD, 0, 0, OFFSET_FIRST_ARGUMENT],
    [JUMP_BITS, 0, 1, CLONE_NEWUSER],
    [RETURN, 0, 0, REFUSE_EPERM],
    [RETURN, 0, 0, ALLOW],
  ];
  const compiled = Buffer.alloc(program.length * 8);
  program.forEach(([code, jumpTrue, jumpFalse, value], row) => {
    compiled.writeUInt16LE(code, row * 8);
    compiled.writeUInt8(jumpTrue, row * 8 + 2);
    compiled.writeUInt8(jumpFalse, row * 8 + 3);
    compiled.writeUInt32LE(value, row * 8 + 4);
  });
  return compiled;
}

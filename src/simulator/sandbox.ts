import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { SkillFile } from './skillsApi.ts';

/** How long a command may run, as in the real container. */
const commandTimeoutMs = 90_000;
const maxOutputBytes = 1_000_000;
const longestLifeMs = 30 * 24 * 60 * 60_000;
/** A container's rolling lifetime after its last use. */
const lifetimeMs = 20 * 60_000;

export interface Container {
  readonly id: string;
  /** Working directory of its commands. */
  readonly directory: string;
  /** Epoch milliseconds. It lives 30 days from here, however often it is used. */
  readonly createdAt: number;
  /** Epoch milliseconds. */
  expiresAt: number;
  /** Ids of the uploads that are in it: each one is put there once, and may then be changed or removed by commands. */
  readonly mounted: Set<string>;
  /** How a request that names it is refused once it is gone. */
  refusal: Exclude<ContainerStatus, 'alive'>;
}

/** `missing` is answered with 404, `broken` with a bare 500, the others with 400. */
export type ContainerStatus = 'alive' | 'expired' | 'unknown' | 'missing' | 'broken';

export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly returnCode: number;
  readonly timedOut: boolean;
  /** Absolute paths of the files at the top level of the command's `$OUTPUT_DIR`. */
  readonly outputs: readonly string[];
}

/**
 * Throw-away directories that stand for containers. Nothing confines a command but its working directory, its scrubbed
 * environment and its deadline: only scripted commands of a scenario ever run here.
 */
export class Sandbox {
  readonly root: string;
  readonly #containers = new Map<string, Container>();
  readonly #running = new Set<ChildProcess>();
  #commands = 0;

  constructor(root: string) {
    this.root = root;
  }

  async create(): Promise<Container> {
    const id = `container_${randomBytes(12).toString('hex')}`;
    const directory = path.join(this.root, id, 'work');
    await mkdir(directory, { recursive: true });
    const now = Date.now();
    const container: Container = {
      ...{ id, directory, createdAt: now, expiresAt: now + lifetimeMs },
      ...{ mounted: new Set<string>(), refusal: 'expired' as const },
    };
    this.#containers.set(id, container);
    return container;
  }

  /** Puts the files of skills where the container's commands find them. */
  async mountSkills(container: Container, files: readonly SkillFile[]): Promise<void> {
    for (const { path: name, content } of files) {
      const target = path.join(skillsOf(container), name);
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, content);
    }
  }

  status(id: string): ContainerStatus {
    const container = this.#containers.get(id);
    if (!container) return 'unknown';
    return isAlive(container) ? 'alive' : container.refusal;
  }

  /** A live container, its lifetime renewed. */
  use(id: string): Container | undefined {
    const container = this.#containers.get(id);
    if (!container || !isAlive(container)) return undefined;
    container.expiresAt = Date.now() + lifetimeMs;
    return container;
  }

  expire(id: string, refusal: Container['refusal'] = 'expired'): void {
    const container = this.#containers.get(id);
    if (!container) return;
    container.expiresAt = 0;
    container.refusal = refusal;
  }

  /** Runs a shell command. Its process group ends with it: by its own end, the deadline, or the signal. */
  async run(
    container: Container,
    command: string,
    options: { readonly timeoutMs?: number | undefined; readonly signal: AbortSignal },
  ): Promise<CommandResult> {
    this.#commands += 1;
    const outputDirectory = path.join(this.root, container.id, `output-${this.#commands}`);
    await mkdir(outputDirectory, { recursive: true });
    const shim = await this.#shimDirectory();
    const child = spawnShell(command, container.directory, commandEnvironment(container, outputDirectory, shim));
    this.#running.add(child);
    const ended = await collect(child, options.timeoutMs ?? commandTimeoutMs, options.signal);
    this.#running.delete(child);
    const entries = await readdir(outputDirectory, { withFileTypes: true });
    const outputs = entries.filter((entry) => entry.isFile()).map((entry) => path.join(outputDirectory, entry.name));
    return { ...ended, outputs: outputs.sort() };
  }

  /** Ends what still runs. The root itself belongs to the caller. */
  async dispose(): Promise<void> {
    for (const child of this.#running) killGroup(child);
    for (const { id } of this.#containers.values()) {
      await rm(path.join(this.root, id), { recursive: true, force: true, maxRetries: 3 });
    }
    this.#containers.clear();
    await rm(path.join(this.root, 'bin'), { recursive: true, force: true, maxRetries: 3 });
  }

  /** A directory with a `node` that is the program we run on, so that nothing else need be installed. */
  async #shimDirectory(): Promise<string> {
    const directory = path.join(this.root, 'bin');
    await mkdir(directory, { recursive: true });
    if (process.platform === 'win32') {
      const text = `@set ELECTRON_RUN_AS_NODE=1\r\n@"${process.execPath}" %*\r\n`;
      await writeFile(path.join(directory, 'node.cmd'), text);
    } else {
      const quoted = `'${process.execPath.replaceAll("'", `'\\''`)}'`;
      const file = path.join(directory, 'node');
      await writeFile(file, `#!/bin/sh\nELECTRON_RUN_AS_NODE=1 exec ${quoted} "$@"\n`);
      await chmod(file, 0o755);
    }
    return directory;
  }
}

/** Stands for `/skills`: nothing here may write to the root of the machine. */
function skillsOf({ directory }: Container): string {
  return path.join(path.dirname(directory), 'skills');
}

function isAlive({ createdAt, expiresAt }: Container): boolean {
  const now = Date.now();
  return expiresAt > now && now - createdAt < longestLifeMs;
}

function spawnShell(command: string, cwd: string, env: NodeJS.ProcessEnv): ChildProcess {
  const options = { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'], windowsHide: true };
  if (process.platform === 'win32') return spawn(command, { ...options, shell: true });
  return spawn('/bin/sh', ['-c', command], { ...options, detached: true });
}

function commandEnvironment(container: Container, outputDirectory: string, shim: string): NodeJS.ProcessEnv {
  const inherited = process.platform === 'win32' ? ['SystemRoot', 'ComSpec', 'PATHEXT', 'TEMP', 'TMP'] : [];
  const kept = inherited.map((name) => [name, process.env[name]] as const);
  const system = process.platform === 'win32' ? (process.env['PATH'] ?? '') : '/usr/local/bin:/usr/bin:/bin';
  return {
    ...Object.fromEntries(kept.filter(([, value]) => value !== undefined)),
    PATH: `${shim}${path.delimiter}${system}`,
    HOME: container.directory,
    INPUT_DIR: container.directory,
    SKILLS_DIR: skillsOf(container),
    OUTPUT_DIR: outputDirectory,
    LANG: 'C.UTF-8',
  };
}

function collect(child: ChildProcess, timeoutMs: number, signal: AbortSignal): Promise<Omit<CommandResult, 'outputs'>> {
  return new Promise((resolve) => {
    const stdout = capture(child.stdout);
    const stderr = capture(child.stderr);
    let timedOut = false;
    const stop = (): void => killGroup(child);
    const timer = setTimeout(() => {
      timedOut = true;
      stop();
    }, timeoutMs);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const finish = (returnCode: number, note = ''): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      resolve({ stdout: stdout(), stderr: stderr() + note, returnCode, timedOut });
    };
    child.once('error', (error) => finish(127, error.message));
    // What the command left in the background would keep the pipes open: it goes with the command.
    child.once('exit', stop);
    child.once('close', (code) => finish(code ?? 137));
  });
}

function capture(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream?.on('data', (chunk: Buffer) => {
    if (size < maxOutputBytes) chunks.push(chunk);
    size += chunk.length;
  });
  return () => Buffer.concat(chunks).subarray(0, maxOutputBytes).toString('utf8');
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') spawn('taskkill', ['/pid', String(child.pid), '/T', '/F'], { stdio: 'ignore' });
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}

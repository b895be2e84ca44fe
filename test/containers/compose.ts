// docker-compose.yml as a test drives it: a project of its own, on ports of its own.

import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { projectRoot } from '../../cli/launch/project.js';
import { type Samples, scrape } from '../../cli/launch/scrape.js';

const run = promisify(execFile);

export type ComposeService = 'discovery' | 'provisioner' | 'nodes';

const monitorPorts: Readonly<Record<ComposeService, number>> = {
  discovery: 7411,
  provisioner: 7421,
  nodes: 7440,
};

/** Any free port for each that is published. */
const freePorts = {
  DISCOVERY_NODES_PORT: '0',
  DISCOVERY_MONITOR_PORT: '0',
  DISCOVERY_PORT: '0',
  PROVISIONER_PORT: '0',
  PROVISIONER_MONITOR_PORT: '0',
  NODES_MONITOR_PORT: '0',
};

/** @returns the command that is Compose here, or undefined where there is none or no engine answers it */
export function findCompose(): readonly string[] | undefined {
  if (!answers(['docker', 'info'])) return undefined;
  const commands = [['docker', 'compose'], ['docker-compose']];
  return commands.find((command) => answers([...command, 'version']));
}

function answers([program, ...args]: readonly string[]): boolean {
  return program !== undefined && spawnSync(program, args, { stdio: 'ignore', timeout: 30_000 }).status === 0;
}

export class ComposeProject {
  readonly #command: readonly string[];
  readonly #name: string;

  constructor(command: readonly string[], name: string) {
    this.#command = command;
    this.#name = name;
  }

  /** @returns what the command printed; @throws Error with what it wrote to stderr where it failed */
  async compose(...args: readonly string[]): Promise<string> {
    const [program = '', ...words] = this.#command;
    const { stdout } = await run(program, [...words, '--project-name', this.#name, ...args], {
      cwd: projectRoot(),
      env: { ...process.env, ...freePorts },
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  }

  /** @returns one field of what the engine knows of the service's container */
  async inspect(service: ComposeService, format: string): Promise<string> {
    const id = (await this.compose('ps', '--all', '--quiet', service)).trim();
    const { stdout } = await run('docker', ['inspect', '--format', format, id]);
    return stdout.trim();
  }

  /** @returns the service's metrics, or undefined where it does not answer */
  async metrics(service: ComposeService): Promise<Samples | undefined> {
    const published = await this.compose('port', service, String(monitorPorts[service]));
    return scrape(Number(published.trim().split(':').at(-1)));
  }
}

import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, rename } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

const root = resolve(import.meta.dirname, '../../..')

export type Image = {
  /** The contents of the working directory of the image. */
  folder: string
  environment: Record<string, string>
  user: string | undefined
  entrypoint: readonly string[]
  command: readonly string[]
  healthCheck: readonly string[]
}

type Stage = Image & { name: string | undefined; workdir: string; disk: string }

/** Follows the Dockerfile line by line, with folders in place of file systems and without a container. */
export async function buildImage(disk: string): Promise<Image> {
  const stages: Stage[] = []
  for (const [instruction, rest] of await readInstructions()) {
    if (instruction === 'FROM') stages.push(createStage(rest, join(disk, `stage-${stages.length}`)))
    const stage = stages.at(-1)
    if (!stage) throw new Error(`${instruction} stands before any FROM`)
    await apply(stage, instruction, rest, stages)
  }
  const last = stages.at(-1)
  if (!last) throw new Error('the Dockerfile builds nothing')
  return { ...last, folder: join(last.disk, last.workdir) }
}

async function readInstructions(): Promise<(readonly [string, string])[]> {
  const text = await readFile(join(root, 'Dockerfile'), 'utf8')
  const lines = text.split('\n').filter((line) => !line.trimStart().startsWith('#'))
  const whole = lines
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
  return whole
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, instruction = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line.trim()) ?? []
      return [instruction, rest]
    })
}

function createStage(from: string, disk: string): Stage {
  return {
    name: / AS (\S+)$/i.exec(from)?.[1],
    workdir: '/',
    disk,
    folder: disk,
    environment: {},
    user: undefined,
    entrypoint: [],
    command: [],
    healthCheck: [],
  }
}

async function apply(
  stage: Stage,
  instruction: string,
  rest: string,
  stages: readonly Stage[],
): Promise<void> {
  switch (instruction) {
    case 'WORKDIR':
      stage.workdir = rest
      await mkdir(join(stage.disk, rest), { recursive: true })
      break
    case 'COPY':
      await copy(stage, rest, stages)
      break
    case 'RUN':
      await promisify(execFile)('sh', ['-ec', rest], {
        cwd: join(stage.disk, stage.workdir),
        env: buildEnvironment(),
      })
      break
    case 'ENV': {
      const [name = '', value = ''] = rest.split('=')
      stage.environment[name] = value
      break
    }
    case 'USER':
      stage.user = rest
      break
    case 'ENTRYPOINT':
      stage.entrypoint = JSON.parse(rest)
      break
    case 'CMD':
      stage.command = JSON.parse(rest)
      break
    case 'HEALTHCHECK':
      stage.healthCheck = JSON.parse(rest.slice(rest.indexOf('CMD') + 3))
      break
    case 'FROM':
    case 'EXPOSE':
      break
    default:
      throw new Error(`${instruction} is not understood here`)
  }
}

/** Packages that are installed here are not downloaded again. */
function buildEnvironment(): NodeJS.ProcessEnv {
  const { NODE_ENV: _, ...environment } = process.env
  const path = `${dirname(process.execPath)}:${environment['PATH']}`
  return { ...environment, PATH: path, npm_config_prefer_offline: 'true' }
}

async function copy(stage: Stage, rest: string, stages: readonly Stage[]): Promise<void> {
  const words = rest.split(' ')
  const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined
  const target = words.pop() ?? '.'
  const source = from === undefined ? root : stages.find(({ name }) => name === from)?.disk
  if (source === undefined) throw new Error(`there is no stage ${from}`)
  if (from === undefined) await requireSent(words)
  for (const word of words) {
    const place = resolve(stage.disk + stage.workdir, target.endsWith('/') ? join(target, word) : target)
    // Moving the packages of a stage that is over takes no time; copying them took half of the build.
    if (from !== undefined) await rename(join(source, word), place)
    else await cp(join(source, word), place, { recursive: true, verbatimSymlinks: true })
  }
}

/** Copies only what .dockerignore names to the build. */
async function requireSent(names: readonly string[]): Promise<void> {
  const ignored = (await readFile(join(root, '.dockerignore'), 'utf8')).trim().split('\n')
  if (ignored[0] !== '*') throw new Error('.dockerignore must first exclude everything')
  for (const name of names) {
    if (!ignored.includes(`!${name}`)) throw new Error(`.dockerignore keeps ${name} from the build`)
  }
}

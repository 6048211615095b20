import { spawnSync } from 'node:child_process'
import { chown, readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { EmbeddedDatabaseError } from './embedded-failure.ts'

/** The account that runs PostgreSQL, which refuses to run as root. */
export type Account = {
  /** The command, arguments and ids that run `command` as this account. */
  launch(command: string, args: readonly string[]): Launch
  own(path: string): Promise<void>
}
export type Launch = { command: string; args: readonly string[]; options: { uid?: number; gid?: number } }

/** The server gets none of our environment variables, because they contain keys. */
export const serverEnvironment = { LC_ALL: 'C', PATH: '/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin' }

type Ids = { uid: number; gid: number }

const currentAccount: Account = {
  launch: (command, args) => ({ command, args, options: {} }),
  own: async () => {},
}

/** Chooses the account. `cluster` may not exist yet; `postgres` is the path of the server binary. */
export async function chooseAccount(cluster: string, postgres: string): Promise<Account> {
  const user = process.getuid?.()
  const owner = await findOwner(cluster)
  if (user !== 0) {
    if (user === undefined || owner === undefined || owner.uid === user) return currentAccount
    throw new EmbeddedDatabaseError(
      `${cluster} belongs to user ${owner.uid}, and this is user ${user}. Start as that user or as root, or set MEMBRANE_DATA_DIR to another folder.`,
    )
  }
  // A cluster that an ordinary user created stays owned by that user, who can then use it without root.
  const ids = owner && owner.uid !== 0 ? owner : await findUnprivileged()
  const own = (path: string) => chown(path, ids.uid, ids.gid)
  if ((await canReach(cluster, ids)) && (await canReach(postgres, ids))) {
    return { launch: (command, args) => ({ command, args, options: ids }), own }
  }
  if (canLaunchWithCapability(ids, postgres))
    return { launch: (...it) => launchWithCapability(ids, ...it), own }
  throw new EmbeddedDatabaseError(
    `PostgreSQL does not run as root, and user ${ids.uid}, which would run it, has no access to ${dirname(cluster)} or ${dirname(postgres)}. Move the project out of the closed directory, set MEMBRANE_DATA_DIR to a folder outside of it, run as an ordinary user, or set DATABASE_URL.`,
  )
}

async function findOwner(path: string): Promise<Ids | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found && { uid: found.uid, gid: found.gid }
}

/** An existing unprivileged user. None is created: starting a program must not change the machine. */
async function findUnprivileged(): Promise<Ids> {
  const users = (await readFile('/etc/passwd', 'utf8').catch(() => ''))
    .split('\n')
    .map((line) => line.split(':'))
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody')
  return { uid: Number(user?.[2] ?? 65_534), gid: Number(user?.[3] ?? 65_534) }
}

/** Whether the account may pass every directory above `path`; it cannot pass /root with mode 700. */
async function canReach(path: string, ids: Ids): Promise<boolean> {
  const parent = dirname(path)
  if (parent === path) return true
  const found = await stat(parent).catch(() => undefined)
  if (!found) return canReach(parent, ids)
  return (found.mode & getEnterBit(found, ids)) !== 0 && canReach(parent, ids)
}

/** The bit of the mode that lets an account enter a folder: that of its owner, of its group or of others. */
function getEnterBit(folder: Ids, { uid, gid }: Ids): number {
  if (folder.uid === uid) return 0o100
  return folder.gid === gid ? 0o010 : 0o001
}

/**
 * Gives the account the one capability that passes closed directories. Without `no_setuid_fixup` access(2) would
 * ignore it, and PostgreSQL asks access(2) whether its own binary may be run.
 */
function launchWithCapability({ uid, gid }: Ids, command: string, args: readonly string[]): Launch {
  const capability = [
    '--securebits=+no_setuid_fixup',
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
  ]
  const as = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
  return { command: 'setpriv', args: [...as, ...capability, '--', command, ...args], options: {} }
}

function canLaunchWithCapability(ids: Ids, postgres: string): boolean {
  const { command, args } = launchWithCapability(ids, postgres, ['--version'])
  const tried = spawnSync(command, args, { env: serverEnvironment, encoding: 'utf8', timeout: 5_000 })
  // `postgres --version` succeeds even where the server cannot run, but then it writes to stderr.
  return tried.status === 0 && tried.stderr === ''
}

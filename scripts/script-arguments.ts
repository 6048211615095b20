import type { ParseArgsConfig } from 'node:util'
import { createArgumentsError, readCommandArguments } from '../src/process/command-arguments.ts'
import { OperatorError } from '../src/process/operator-error.ts'

/** The arguments of a script. `--help` prints the usage and ends the script; an unknown argument ends it with the code 2. */
export function readArguments<const T extends ParseArgsConfig>(usage: string, config: T) {
  const parsed = endIfRefused(() => readCommandArguments(config))
  if (Reflect.get(parsed.values, 'help')) {
    process.stdout.write(`${usage}\n`)
    process.exit(0)
  }
  return parsed
}

/** Ends the script because of an argument that only the script itself can judge. */
export function refuse(reason: string): never {
  return endIfRefused(() => {
    throw createArgumentsError(reason)
  })
}

function endIfRefused<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    process.stderr.write(`${error.message}\n`)
    return process.exit(error.exitCode)
  }
}

import { type ParseArgsConfig, parseArgs } from 'node:util'
import { exitCodes, OperatorError } from './operator-error.ts'

const help = { type: 'boolean', default: false } as const

/** The arguments of a command. What is unknown or incomplete is refused in one line. */
export function readCommandArguments<const T extends ParseArgsConfig>(config: T) {
  try {
    return parseArgs({
      ...config,
      options: { ...config.options, help } as T['options'] & { help: typeof help },
    })
  } catch (error) {
    throw createArgumentsError(error instanceof Error ? error.message : 'unknown arguments')
  }
}

/** Node explains more than the reason, in more than one line. */
export function createArgumentsError(reason: string): OperatorError {
  const [sentence] = reason.split(/\.\s|\n/)
  return new OperatorError(`${sentence}; --help lists the arguments.`, exitCodes.refused)
}

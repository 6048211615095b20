/** Exit codes: 1 may be better at the next try, 2 only after someone has changed something. */
export const exitCodes = { stopped: 0, failed: 1, refused: 2 } as const

/** Why a process cannot run, in words an operator can act on; a stack trace would hide them. */
export class OperatorError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message)
    this.name = 'OperatorError'
    this.exitCode = exitCode
  }
}

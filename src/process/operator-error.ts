/** Exit codes. After 1 a restart may help; after 2 an operator must change something first. */
export const exitCodes = { stopped: 0, failed: 1, refused: 2 } as const

/** Why a process cannot run, in words for an operator, who should not see a stack trace. */
export class OperatorError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message)
    this.name = 'OperatorError'
    this.exitCode = exitCode
  }
}

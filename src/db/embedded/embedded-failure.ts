/** Why the embedded database does not run, in words for an operator, who should not see a stack trace. */
export class EmbeddedDatabaseError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'EmbeddedDatabaseError'
  }
}

/** The folder has no database: the operator has to name another one. */
export class NoEmbeddedDatabaseError extends EmbeddedDatabaseError {}

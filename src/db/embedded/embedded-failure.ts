/** Why there is no embedded database, in words an operator can act on; a stack trace would hide them. */
export class EmbeddedDatabaseError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'EmbeddedDatabaseError'
  }
}

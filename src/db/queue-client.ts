import pg from 'pg'

/**
 * The server can end a connection while a statement of the queue uses it. The client then emits an error, for which the
 * pool does not listen, and which would end the process. The statement fails as well, and is reported there.
 */
export class QueueClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config)
    this.on('error', () => {})
  }
}

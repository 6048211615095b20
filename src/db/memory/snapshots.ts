type Snapshot = { next: number; open: readonly number[] }

/** Whether a transaction had ended when the snapshot was taken. */
export function hasEnded(snapshot: string, transaction: number): boolean {
  return isIn(parse(snapshot), transaction)
}

/** The first transaction of which the snapshot says nothing: it had not begun, or a standby did not know whether it had ended. */
export function readEnd(snapshot: string): number {
  return parse(snapshot).next
}

/** Returns the snapshot in which every transaction has ended that had ended in one of the two. */
export function mergeSnapshots(one: string, other: string): string {
  const first = parse(one)
  const second = parse(other)
  const [earlier, later] = first.next <= second.next ? [first, second] : [second, first]
  const open = later.open.filter((transaction) => !isIn(earlier, transaction))
  return `${open[0] ?? later.next}:${later.next}:${open.join(',')}`
}

function isIn({ next, open }: Snapshot, transaction: number): boolean {
  return transaction < next && !open.includes(transaction)
}

/** PostgreSQL writes the oldest open transaction, the next one, and a list of the open ones. */
function parse(text: string): Snapshot {
  const [, next = '', open = ''] = text.split(':')
  return { next: Number(next), open: open === '' ? [] : open.split(',').map(Number) }
}

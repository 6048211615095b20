import type { Transaction } from '../../db/transaction.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Ids } from '../../kernel/ids.ts'
import { insertEvent, type TenantRow } from '../tenants.queries.ts'

type Event = { action: string; actor: string; rationale?: string; removed?: string }

/** Returns a function that writes down what was done to a tenant. */
export function createEventLog({ clock, ids }: { clock: Clock; ids: Ids }) {
  return (
    tx: Transaction,
    { id, reference }: Pick<TenantRow, 'id' | 'reference'>,
    event: Event,
  ): Promise<void> => insertEvent(tx, { id: ids.next(), tenant_id: id, reference, at: clock.now(), ...event })
}

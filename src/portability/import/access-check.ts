import type { Fault } from '../../kernel/errors.ts'
import type { ImportedRecord } from '../portability.schemas.ts'

/** Accesses are counted, those that only showed the record among them, and the newest are told one by one. */
export function findAccessFaults(given: ImportedRecord): Fault[] {
  const {
    access_count: times = 0,
    served_count: served = 0,
    last_accessed_at: last,
    access_log: log = [],
  } = given
  const servedInLog = log.filter(({ kind }) => kind === 'served').length
  const isLater = log.some(({ at }) => last !== undefined && new Date(at) > new Date(last))
  const faults: [boolean, Fault][] = [
    [served > times, { pointer: '/served_count', message: 'must be at most access_count' }],
    [log.length > times, { pointer: '/access_count', message: 'must count the whole access_log' }],
    [
      servedInLog > served,
      { pointer: '/served_count', message: 'must count what access_log says was served' },
    ],
    [
      times > 0 !== (last !== undefined),
      {
        pointer: '/last_accessed_at',
        message: 'must be there when access_count is more than 0, and only then',
      },
    ],
    [isLater, { pointer: '/last_accessed_at', message: 'must not be before the newest of access_log' }],
  ]
  return faults.flatMap(([isBroken, fault]) => (isBroken ? [fault] : []))
}

import type { Fault } from '../../kernel/errors.ts'
import type { ImportedRecord } from '../portability.schemas.ts'

/** Finds counts of accesses that contradict the access log of the same line. */
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
    [
      log.length > times,
      { pointer: '/access_count', message: 'must be at least the number of entries in access_log' },
    ],
    [
      servedInLog > served,
      { pointer: '/served_count', message: 'must be at least the number of served entries in access_log' },
    ],
    [
      times > 0 !== (last !== undefined),
      {
        pointer: '/last_accessed_at',
        message: 'must be present when access_count is above 0, and absent when it is 0',
      },
    ],
    [isLater, { pointer: '/last_accessed_at', message: 'must not be before the newest entry of access_log' }],
  ]
  return faults.flatMap(([isBroken, fault]) => (isBroken ? [fault] : []))
}

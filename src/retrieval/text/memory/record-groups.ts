import { getRank, type Sensitivity, type Trust, unscoped } from '../../../domain/trust/caller.ts'
import { createNumbering } from './numbering.ts'

/** The fields that decide who sees a record, and which searches read it. */
export type Group = { scope: string; type: string; sensitivity: Sensitivity }

/** The group of deleted texts, which no search reads. */
export const goneGroup = 0

export type Searched = {
  trust: Trust
  scopes?: readonly string[] | undefined
  types?: readonly string[] | undefined
}

const maxKept = 200

/** Numbers the groups of records, so that a search asks once for each group whether its records count, and not for each record. */
export function createRecordGroups() {
  const groups: (Group | undefined)[] = [undefined]
  const names = createNumbering()
  const searched = new Map<string, Uint8Array>()

  function assignNumber(group: Group): number {
    const number = names.assignNumber(JSON.stringify([group.scope, group.type, group.sensitivity])) + 1
    if (number === groups.length) {
      searched.clear()
      groups.push({ ...group })
    }
    return number
  }

  /** By the number of a group, 1 where a search reads its records and may count them. */
  function listSearched({ trust, scopes, types }: Searched): Uint8Array {
    const key = JSON.stringify([trust.maxSensitivity, trust.scopes, scopes, types])
    const known = searched.get(key)
    if (known) return known
    const isSearched = createFilter({ trust, scopes, types })
    const list = Uint8Array.from(groups, (group) => (group && isSearched(group) ? 1 : 0))
    if (searched.size >= maxKept) searched.clear()
    searched.set(key, list)
    return list
  }

  return { assignNumber, listSearched }
}

function createFilter({ trust, scopes, types }: Searched): (group: Group) => boolean {
  const most = getRank(trust.maxSensitivity)
  const isOpen = createMembershipCheck(trust.scopes ? [...trust.scopes, unscoped] : undefined)
  const isChosenScope = createMembershipCheck(scopes)
  const isOfType = createMembershipCheck(types)
  return (group) =>
    getRank(group.sensitivity) <= most &&
    isOpen(group.scope) &&
    isChosenScope(group.scope) &&
    isOfType(group.type)
}

function createMembershipCheck(list: readonly string[] | undefined): (name: string) => boolean {
  if (!list) return () => true
  const names = new Set(list)
  return (name) => names.has(name)
}

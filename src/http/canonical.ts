/** JSON in which two equal values are equal texts: fields in order of name, absent ones left out. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each
    // toSorted by code unit: any order will do that is the same everywhere.
    return Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
  })
}

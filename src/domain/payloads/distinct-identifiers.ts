type Identifier = { namespace: string; value: string }

/** Equal for identifiers that are equal, and for no others. */
export function formatIdentifier({ namespace, value }: Identifier): string {
  return JSON.stringify([namespace, value])
}

/** The identifiers without repetitions, in their order. */
export function removeRepeatedIdentifiers(identifiers: readonly Identifier[]): Identifier[] {
  return [...new Map(identifiers.map((each) => [formatIdentifier(each), each])).values()]
}

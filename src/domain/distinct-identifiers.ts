type Identifier = { namespace: string; value: string }

/** The identifiers without repetitions, in their order. */
export function removeRepeatedIdentifiers(identifiers: readonly Identifier[]): Identifier[] {
  const formatIdentifier = ({ namespace, value }: Identifier) => JSON.stringify([namespace, value])
  return [...new Map(identifiers.map((each) => [formatIdentifier(each), each])).values()]
}

type Identifier = { namespace: string; value: string }

/** The identifiers without repetitions, in their order. */
export function distinctIdentifiers(identifiers: readonly Identifier[]): Identifier[] {
  const keyOf = ({ namespace, value }: Identifier) => JSON.stringify([namespace, value])
  return [...new Map(identifiers.map((each) => [keyOf(each), each])).values()]
}

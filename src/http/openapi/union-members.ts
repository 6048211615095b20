type Member = { properties?: { kind?: { const?: string } } }
type Schema = { anyOf?: readonly Member[] }

/**
 * Gives each member of a union that `kind` tells apart a component of its own, such as `SemanticPayload` of `Payload`.
 * Generators for languages without unions would otherwise number its members.
 */
export function nameUnionMembers(schemas: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const named = Object.entries(schemas).flatMap(([name, schema]): [string, unknown][] => {
    const members = listMembers(name, schema as Schema)
    if (members.length === 0) return [[name, schema]]
    const pathOf = (member: { name: string }) => `#/components/schemas/${member.name}`
    const union = {
      ...(schema as Schema),
      anyOf: members.map((member) => ({ $ref: pathOf(member) })),
      discriminator: {
        propertyName: 'kind',
        mapping: Object.fromEntries(members.map((member) => [member.kind, pathOf(member)])),
      },
    }
    return [[name, union], ...members.map((member): [string, unknown] => [member.name, member.schema])]
  })
  return Object.fromEntries(named)
}

/** Empty unless each member has a `kind` of its own. */
function listMembers(union: string, { anyOf = [] }: Schema) {
  const members = anyOf.flatMap((schema) => {
    const kind = schema.properties?.kind?.const
    return kind === undefined ? [] : [{ name: insertKind(union, kind), kind, schema }]
  })
  return members.length === anyOf.length ? members : []
}

/** `NewPayload` and `plan_graph` make `NewPlanGraphPayload`. */
function insertKind(union: string, kind: string): string {
  const words = kind.split('_').map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
  return union.replace(/^(New)?/, `$&${words.join('')}`)
}

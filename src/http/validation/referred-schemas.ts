import type { TSchema } from 'typebox'

type Schemas = Readonly<Record<string, TSchema>>

/**
 * Those of the named schemas to which a schema refers, directly or through others: TypeBox walks through all that it is
 * given. `text` is the schema as JSON. A name stands alone, or behind the path that OpenAPI gives it.
 */
export function selectReferred(text: string, schemas: Schemas, known: Record<string, TSchema> = {}) {
  for (const [, name = ''] of text.matchAll(/"\$ref":"(?:#\/components\/schemas\/)?([^"]+)"/g)) {
    const target = schemas[name]
    if (!target || known[name]) continue
    known[name] = target
    selectReferred(JSON.stringify(target), schemas, known)
  }
  return known
}

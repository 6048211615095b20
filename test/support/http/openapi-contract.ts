import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/schema'
import { jsonLinesType } from '../../../src/http/bodies/streaming.ts'
import { registerFormats } from '../../../src/http/validation/formats.ts'
import { selectReferred } from '../../../src/http/validation/referred-schemas.ts'

registerFormats()

type Media = { schema: object }
type Operation = { operationId: string; responses: Record<string, { content?: Record<string, Media> }> }
export type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, TSchema> }
}

export type Answered = { method: string; path: string; status: number; mediaType: string; text: string }

/**
 * Returns a function that compiles a schema of a document with the components to which it refers. Errors have one shape in
 * all operations, so the text of a schema is what its validator is kept by.
 */
export function createValidators(components: Document['components']): (schema: object) => Validator {
  const validators = new Map<string, Validator>()
  return (schema) => {
    const shape = JSON.stringify(schema)
    const known = validators.get(shape)
    if (known) return known
    const schemas = selectReferred(shape, components.schemas)
    const validator = Compile({ ...schema, components: { schemas } })
    validators.set(shape, validator)
    return validator
  }
}

/**
 * Returns a function that checks each answer against the published document: an undocumented status or shape
 * throws.
 */
export function createContractCheck(document: Document) {
  const validatorOf = createValidators(document.components)
  const paths = Object.keys(document.paths).map((template) => ({ template, pattern: patternOf(template) }))

  function operationOf(method: string, path: string): Operation | undefined {
    const matching = paths.filter(({ pattern }) => pattern.test(path))
    // A literal segment takes precedence over a parameter.
    matching.sort((one, other) => one.template.split('{').length - other.template.split('{').length)
    const template = matching[0]?.template
    const documented = method === 'HEAD' ? 'get' : method.toLowerCase()
    return template === undefined ? undefined : document.paths[template]?.[documented]
  }

  function requireShape(name: string, schema: object, text: string): void {
    const validator = validatorOf(schema)
    const value: unknown = JSON.parse(text)
    if (validator.Check(value)) return
    const [, faults] = validator.Errors(value)
    const list = faults.map((fault) => `${fault.instancePath} ${fault.message}`).join('; ')
    throw new Error(`${name} answered what it does not document: ${list}\n${text.slice(0, 2_000)}`)
  }

  function requireDocumented(operation: Operation, answered: Answered): void {
    const { status, mediaType, text, method } = answered
    const name = `${operation.operationId} ${status}`
    const response = operation.responses[status]
    if (!response) throw new Error(`${name} is not a documented status: ${text.slice(0, 2_000)}`)
    const media = response.content?.[mediaType]
    if (!response.content && text !== '') throw new Error(`${name} has a body, none is documented`)
    if (response.content && !media) throw new Error(`${name} is of the undocumented type ${mediaType}`)
    if (!media || method === 'HEAD') return
    for (const each of documentsIn(mediaType, text)) requireShape(name, media.schema, each)
  }

  return function verify(answered: Answered): void {
    const { method, path, status, text } = answered
    const operation = operationOf(method, path)
    if (operation) requireDocumented(operation, answered)
    // No operation: an unknown path or method, or the documentation itself.
    else if (status >= 400 && method !== 'HEAD') requireShape(`${status}`, problem, text)
  }
}

/** The documents in an answer: every line of an answer in lines. */
function documentsIn(mediaType: string, text: string): string[] {
  if (mediaType === jsonLinesType) return splitLines(text)
  return mediaType.endsWith('json') ? [text] : []
}

/** Splits text into its lines that are not empty. */
export function splitLines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '')
}

const problem = { $ref: '#/components/schemas/Problem' }

function patternOf(template: string): RegExp {
  const segments = template.split('/').map((segment) => (segment.startsWith('{') ? '[^/]+' : segment))
  return new RegExp(`^${segments.join('/')}$`)
}

import Type, { type TObject, type TProperties, type TSchema, type TSchemaOptions } from 'typebox'
import { nilUuid } from '../../kernel/ids.ts'

/** An object schema without additional fields: a misspelt field is an error, not a silent loss. */
export function closed<P extends TProperties>(properties: P, options: TSchemaOptions = {}): TObject<P> {
  return Type.Object(properties, { ...options, additionalProperties: false })
}

export const Uuid = (options: TSchemaOptions = {}) => Type.String({ format: 'uuid', ...options })

export const notNilPattern = `^(?!${nilUuid}$)`
/** A client that follows the URL standard cannot send `.` or `..` as a part of a path. */
export const pathPartPattern = '^(?!\\.{1,2}$)'

export const durationPattern = '^[0-9]{1,9}(ms|s|m|h|d)$'

export const Time = (options: TSchemaOptions = {}) =>
  Type.String({ format: 'date-time', examples: ['2026-03-28T09:30:00.000Z'], ...options })

export const TimeOrNull = (description: string) => Type.Union([Time(), Type.Null()], { description })

export const Count = (description: string) => Type.Integer({ minimum: 0, description })

/** A number from 0 to 1. */
export const Unit = (options: TSchemaOptions = {}) => Type.Number({ minimum: 0, maximum: 1, ...options })

/** The number of a row inside a cursor. A larger number cannot be a row, and would raise an error in SQL. */
export const RowNumber = () => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** One page of a list. The last page has no `next_cursor`. */
export function listOf<T extends TSchema>(item: T, $id: string) {
  return closed({ items: Type.Array(item), next_cursor: Type.Optional(Type.String()) }, { $id })
}

/** The query parameters of a list that has pages. */
export const pageParameters = (defaultLimit: number, maximum = 500) => ({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum,
      default: defaultLimit,
      description: 'The largest number of items on a page.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 2_048, description: 'The `next_cursor` of the previous page.' }),
  ),
})

export type ListPage<T> = { items: T[]; next_cursor?: string }

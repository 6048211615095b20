import Type from 'typebox'

/** The building blocks of payloads. Each has a description, which the OpenAPI document shows. */

export const Kind = <const T extends string>(type: T) =>
  Type.Literal(type, { description: 'The same as the `type` of the record.' })

export const Text = (description: string, maxLength = 100_000) =>
  Type.String({ minLength: 1, maxLength, description })

/** A text that may be empty. */
export const Words = (description: string) => Type.String({ description })

export const Texts = (description: string, maxLength = 100_000) =>
  Type.Array(Type.String({ minLength: 1, maxLength }), { description })

export const Json = (description: string) => Type.Unknown({ description })

export const JsonObject = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description })

export const Count = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })

export const Milliseconds = (description: string) =>
  Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })

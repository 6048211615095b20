import type { components, operations } from '../generated/api.ts'
import type { routes } from '../generated/routes.ts'
import type { Body, CallOptions } from './transport.ts'

/** The parameters and the answer of each operation, derived from the generated types. */

export type Schemas = components['schemas']
export type OperationName = keyof typeof routes
type Operation<N extends OperationName> = operations[N]
type Kind<N extends OperationName> = (typeof routes)[N][2]

type Path<O> = O extends { parameters: { path: infer P } } ? { path: P } : unknown
type Query<O> = O extends { parameters: { query?: infer Q } }
  ? [NonNullable<Q>] extends [never]
    ? unknown
    : O extends { parameters: { query: infer R } }
      ? { query: R }
      : { query?: NonNullable<Q> | undefined }
  : unknown

type Json<C> = C extends { 'application/json': infer B } ? B : never
type Payload<N extends OperationName> = N extends 'importRecords'
  ? { body: Body; mediaType?: string | undefined }
  : Operation<N> extends { requestBody: { content: infer C } }
    ? { body: Json<C> }
    : Operation<N> extends { requestBody?: infer R }
      ? [NonNullable<R>] extends [{ content: infer C }]
        ? { body?: Json<C> | undefined }
        : unknown
      : unknown

type Header<O, Name extends string> = O extends { parameters: { header?: infer H } }
  ? Name extends keyof NonNullable<H>
    ? true
    : false
  : false
type Once<N extends OperationName> =
  Header<Operation<N>, 'Idempotency-Key'> extends true
    ? /** One is made for each call when none is given. */ { idempotencyKey?: string | undefined }
    : unknown
type Versioned<N extends OperationName> =
  Header<Operation<N>, 'If-Match'> extends true
    ? /** The version that may be changed; any when absent. */ { ifMatch?: number | undefined }
    : unknown

export type Input<N extends OperationName> = Path<Operation<N>> &
  Query<Operation<N>> &
  Payload<N> &
  Once<N> &
  Versioned<N> &
  CallOptions

type Success<R> = { [S in keyof R]: R[S] extends { content: infer C } ? C[keyof C] : undefined }[keyof R]
type Answered<N extends OperationName> = Success<Operation<N>['responses']>

/** A run is followed by its states, an export and an import by their lines. */
export type Answer<N extends OperationName> =
  Kind<N> extends 'events'
    ? AsyncGenerator<Schemas['MaintenanceRun'], void>
    : Kind<N> extends 'lines'
      ? AsyncGenerator<Answered<N>, void>
      : Promise<Kind<N> extends 'nothing' ? undefined : Answered<N>>

export type Method<N extends OperationName> =
  Record<never, never> extends Input<N> ? (input?: Input<N>) => Answer<N> : (input: Input<N>) => Answer<N>

/** The operations that answer a page of items and take its cursor. */
export type PagedName = {
  [N in OperationName]: Input<N> extends { query?: { cursor?: string } | undefined }
    ? Answered<N> extends { items: unknown[] }
      ? N
      : never
    : never
}[OperationName]
export type ItemOf<N extends PagedName> = Answered<N> extends { items: (infer I)[] } ? I : never

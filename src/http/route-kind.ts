import type { RouteOptions } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route changes nothing although its method could. */
    readOnly?: boolean
    /** The route may run twice with the same effect, and its answer is too large or takes too long to be stored. */
    isIdempotent?: boolean
  }
}

/** The properties of a route that decide its kind. */
type Route = { method: string | string[]; config?: RouteOptions['config'] }

const readMethods = new Set(['GET', 'HEAD'])
const writeMethods = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

export function hasWriteMethod({ method }: Pick<Route, 'method'>): boolean {
  return writeMethods.has(String(method))
}

export function readsState({ method, config }: Route): boolean {
  return config?.readOnly === true || readMethods.has(String(method))
}

/** Routes that change something and answer at once, and not by a stream. */
export function changesState(route: Route): boolean {
  const { isPublic, readOnly, isIdempotent } = route.config ?? {}
  return !isPublic && !readOnly && !isIdempotent && hasWriteMethod(route)
}

/** Routes whose handler uses `once`. A PUT needs no key: a second one has the same effect. */
export function usesIdempotencyKey(route: Route): boolean {
  return changesState(route) && String(route.method) !== 'PUT'
}

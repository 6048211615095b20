import { getCurrentTenant, type RequestTenant } from '../../http/auth/tenancy.ts'
import { createToolset } from '../../mcp/index.ts'
import type { Services } from '../../services.ts'
import { homeTenant } from './home-tenant.ts'

/**
 * Services that call those of the tenant of the request in progress. Routes get them when they are registered, before
 * there is a request.
 */
export function createCurrentServices(provideServices: (tenant: RequestTenant) => Services): Services {
  const home = provideServices(homeTenant)
  const services = delegate(home, () => provideServices(getCurrentTenant()))
  const { instruments, consoleFiles } = home
  // The series of the process are about all tenants.
  const process = { render: async () => (getCurrentTenant() === homeTenant ? instruments.render() : '') }
  return {
    ...services,
    instruments,
    consoleFiles,
    mcp: { ...home.mcp, toolset: createToolset(services), runOnce: services.runOnce },
    scrape: { ...home.scrape, sources: [process, services.storeReading] },
  }
}

/**
 * The functions of `example`, each of which calls that of `current()`. All tenants have the same functions and values, because they
 * depend on the configuration alone. Rejected: a Proxy, whose members cannot be listed and whose calls took half as long again; and
 * routes that get their services with each request, which every handler of every room would have to do.
 */
function delegate<Member>(example: Member, current: () => Member): Member {
  if (typeof example === 'function')
    return ((...args: unknown[]) => Reflect.apply(Object(current()), undefined, args)) as Member
  if (!isGroup(example)) return example
  const members = Object.entries(example).map(([name, member]) => [
    name,
    delegate<unknown>(member, () => Reflect.get(Object(current()), name)),
  ])
  return Object.fromEntries(members)
}

function isGroup(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

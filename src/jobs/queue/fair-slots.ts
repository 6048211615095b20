type Task = {
  tenant: string
  name: string
  work: (signal: AbortSignal) => Promise<unknown>
  /** How often it was stopped for another tenant. */
  stops?: number
}
type Running = Task & { stop: AbortController; startedAt: number; sliceMs: number }

type Options = {
  /** How many tasks run at once. */
  slots: number
  /** A task that has run for this long is stopped as soon as another tenant waits; it then waits again itself. */
  sliceMs: number
  onError(task: Pick<Task, 'tenant' | 'name'>, error: unknown): void
}

/**
 * Shares a few slots between the work of many tenants. The next task is one of the tenant that has the fewest running and
 * was served longest ago, and no tenant has more than half of the slots. So a tenant with a thousand tasks delays another
 * by one task, and tenants with tasks of an hour delay it by one slice. A task that is stopped must be able to continue
 * later. Its next slice is twice as long, because it may repeat what its last batch had not stored.
 */
export function createFairSlots({ slots, sliceMs, onError }: Options) {
  const waiting = new Map<string, Map<string, Task>>()
  const running = new Map<string, Running>()
  const served = new Map<string, number>()
  const ended = new Set<Promise<void>>()
  const maxOfOne = Math.ceil(slots / 2)
  let turn = 0
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  /** A task that waits already is not added again. One that is running is added: more may be due when it ends. */
  function submit(task: Task): void {
    if (isClosed) return
    const own = waiting.get(task.tenant) ?? new Map<string, Task>()
    if (!own.has(task.name)) own.set(task.name, task)
    waiting.set(task.tenant, own)
    fill()
  }

  function fill(): void {
    while (!isClosed && running.size < slots) {
      const next = takeNext()
      if (!next) break
      start(next)
    }
    clearTimeout(timer)
    if (!isClosed && waiting.size > 0 && running.size >= slots)
      timer = setTimeout(preempt, waitForSlice()).unref()
  }

  function takeNext(): Task | undefined {
    const counts = Map.groupBy(running.values(), ({ tenant }) => tenant)
    const rank = (tenant: string) => [counts.get(tenant)?.length ?? 0, served.get(tenant) ?? -1] as const
    const [task] = [...waiting.keys()]
      .filter((tenant) => rank(tenant)[0] < maxOfOne)
      .flatMap((tenant) => findStartable(tenant) ?? [])
      .sort((one, other) => compare(rank(one.tenant), rank(other.tenant)))
    if (!task) return undefined
    const own = waiting.get(task.tenant)
    own?.delete(task.name)
    if (own?.size === 0) waiting.delete(task.tenant)
    return task
  }

  /** One task of a name runs at a time. */
  function findStartable(tenant: string): Task | undefined {
    const own = [...(waiting.get(tenant)?.values() ?? [])]
    return own.find(({ name }) => !running.has(formatTask({ tenant, name })))
  }

  function start(task: Task): void {
    const stop = new AbortController()
    running.set(formatTask(task), {
      ...task,
      stop,
      startedAt: performance.now(),
      sliceMs: sliceMs * 2 ** (task.stops ?? 0),
    })
    served.set(task.tenant, turn++)
    const end = task
      .work(stop.signal)
      .catch((error: unknown) => onError(task, error))
      .then(() => {
        running.delete(formatTask(task))
        ended.delete(end)
        if (!waiting.has(task.tenant) && !isRunning(task.tenant)) served.delete(task.tenant)
        if (stop.signal.reason === preempted) submit({ ...task, stops: (task.stops ?? 0) + 1 })
        fill()
      })
    ended.add(end)
  }

  function isRunning(tenant: string): boolean {
    return [...running.values()].some((each) => each.tenant === tenant)
  }

  /** Stops the task whose slice ended first, if another tenant could use its slot. */
  function preempt(): void {
    const [first] = [...running.values()]
      .filter(
        ({ tenant, stop }) => !stop.signal.aborted && [...waiting.keys()].some((each) => each !== tenant),
      )
      .sort((one, other) => computeEnd(one) - computeEnd(other))
    if (first && computeEnd(first) <= performance.now()) first.stop.abort(preempted)
    fill()
  }

  function waitForSlice(): number {
    return Math.max(20, Math.min(...[...running.values()].map(computeEnd)) - performance.now())
  }

  /** Stops the work of a tenant after its batch; what waits is forgotten. */
  function stopTenant(tenant: string): void {
    waiting.delete(tenant)
    for (const task of running.values()) if (task.tenant === tenant) task.stop.abort()
  }

  return {
    submit,
    stopTenant,
    close: async (): Promise<void> => {
      isClosed = true
      clearTimeout(timer)
      waiting.clear()
      for (const { stop } of running.values()) stop.abort()
      await Promise.all(ended)
    },
  }
}

const preempted = new Error('another tenant waits')

function computeEnd({ startedAt, sliceMs }: Running): number {
  return startedAt + sliceMs
}

function formatTask({ tenant, name }: Pick<Task, 'tenant' | 'name'>): string {
  return `${tenant} ${name}`
}

function compare(one: readonly [number, number], other: readonly [number, number]): number {
  return one[0] - other[0] || one[1] - other[1]
}

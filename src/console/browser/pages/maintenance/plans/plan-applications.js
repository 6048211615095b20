import { api } from '../../../api/client.js'
import { html } from '../../../html.js'
import { Panel } from '../../../parts/panel.js'
import { RunStatus } from '../../../parts/run-tags.js'
import { Time } from '../../../parts/time.js'
import { useRequest } from '../../../parts/use-request.js'
import { toPath } from '../../../router.js'
import { listedJobs } from '../jobs.js'
import { RunActions } from '../run-actions.js'

/** @import { Plan } from '../../../api/types.d.ts' */

/** How many of the newest runs of the job are searched for those of the plan. */
const maxRuns = 100

/** The runs that applied a plan, or parts of it. Absent where there is none. @param {{ plan: Plan }} properties */
export function PlanApplications({ plan }) {
  const { data } = useRequest(
    (signal) => {
      const job = listedJobs.find((one) => one === plan.job)
      return api.get('/v1/maintenance/runs', { query: { job, limit: maxRuns }, signal })
    },
    [plan.id, plan.status],
  )
  const runs = data?.items.filter(({ options }) => options['plan_id'] === plan.id) ?? []
  if (runs.length === 0) return null
  return html`<${Panel} title="Runs of this plan">
    <ul class="found-list">${runs.map((run) => html`<li key=${run.id} class="row"><a href=${toPath(['maintenance', 'runs', run.id])}><${Time} at=${run.created_at} /></a><${RunStatus} status=${run.status} /><${RunActions} run=${run} /></li>`)}</ul>
  <//>`
}

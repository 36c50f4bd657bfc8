// A worker in the style of an edge function, which the platform ends after 25 seconds: a timer calls it, it works until
// the margin, and what it could not finish is released. Only `fetch` is needed.
const { API, KEY, QUEUE = 'default', BOX = '25' } = process.env
const MARGIN = 0.2

const handlers = {
  double: async (payload) => ({ n: 2 * payload.n })
}

async function call(path, body) {
  const answer = await fetch(`${API}/api/v1${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body)
  })
  const said = await answer.json()
  if (!answer.ok) throw new Error(said.detail)
  return said
}

async function run({ id, token, task, payload }) {
  try {
    return { id, token, verb: 'complete', output: await handlers[task](payload) }
  } catch (error) {
    return { id, token, verb: 'fail', error: String(error.message) }
  }
}

export default async function handler() {
  const until = Date.now() + Number(BOX) * 1000 * (1 - MARGIN)
  // No renewal is needed: the lease lasts longer than the function.
  const { worker } = await call('/workers', {
    queues: [QUEUE], tasks: Object.keys(handlers), slots: 5, lease: 2 * Number(BOX)
  })
  let processed = 0
  let ends = []
  while (Date.now() < until) {
    const { jobs, drain } = await call(`/workers/${worker}/claim`, { limit: 5, ends })
    ends = await Promise.all(jobs.map(run))
    processed += ends.length
    if (drain || jobs.length === 0) break
  }
  if (ends.length > 0) await call(`/workers/${worker}/claim`, { limit: 0, ends })
  await call(`/workers/${worker}/stop`, {})
  return Response.json({ success: true, processed })
}

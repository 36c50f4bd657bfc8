// A worker in JavaScript: Node 18 or newer, nothing else. API: the address of `holdfast serve`, KEY: an access key
// with the role worker, QUEUE: the queue. Put your handlers into `handlers`, by task.
const { API, KEY, QUEUE = 'default', LEASE = '60' } = process.env

const handlers = {
  double: async (payload) => ({ n: 2 * payload.n })
}

async function call(path, body) {
  while (true) {
    try {
      const answer = await fetch(`${API}/api/v1${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body)
      })
      const said = await answer.json()
      if (answer.ok) return said
      if (answer.status !== 429 && answer.status !== 503) throw Object.assign(new Error(said.detail), { code: said.code })
    } catch (error) {
      if (error.code) throw error // the server refused it; anything else is the network's fault
    }
    await new Promise((resume) => setTimeout(resume, 1000))
  }
}

async function run({ id, token, task, payload }) {
  try {
    return { id, token, verb: 'complete', output: await handlers[task](payload) }
  } catch (error) {
    return { id, token, verb: 'fail', error: { message: String(error.message), type: error.name } }
  }
}

let stopping = false
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => { stopping = true })

const { worker, renew_every } = await call('/workers', {
  queues: [QUEUE], tasks: Object.keys(handlers), slots: 10, lease: Number(LEASE), name: `node-${process.pid}`
})
const renewing = setInterval(() => call(`/workers/${worker}/renew`, {}).catch((error) => {
  console.error(error.message) // another worker has the jobs by now: start again
  process.exit(1)
}), renew_every * 1000)

let ends = []
while (!stopping || ends.length > 0) {
  // One request ends the jobs of the last turn and claims the next ones; it waits up to 5 s for some.
  const { jobs, drain } = await call(`/workers/${worker}/claim`, stopping ? { limit: 0, ends } : { limit: 10, wait: 5, ends })
  ends = await Promise.all(jobs.map(run))
  stopping ||= drain
}
clearInterval(renewing)
await call(`/workers/${worker}/stop`, {})

// A producer in the style of an edge function: a request comes in, one `fetch` goes out. The caller's id is the unique
// key, so that a request which is sent again stores nothing twice.
const { API, KEY, QUEUE = 'default' } = process.env

export default async function handler(request) {
  const { id, ...payload } = await request.json()
  const answer = await fetch(`${API}/api/v1/jobs`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ task: 'double', queue: QUEUE, payload, unique_key: id })
  })
  return new Response(await answer.text(), { status: answer.status, headers: { 'Content-Type': 'application/json' } })
}

// A worker loop that was written for a server of its own, unchanged but for `fetch`.
// It leaves when nothing is pending; what it posts goes to stdout, one JSON document a line.

const ask = globalThis.fetch
const fetch = async (url, options) => (await ask(url.replace('https://worker.dev', process.env.API),
  { ...options, headers: { Authorization: `Bearer ${process.env.KEY}` } })).json()

const SERVER_ID = process.env.SERVER_ID
const sleep = async () => process.exit(0)
const generateResponse = async (message) => message.text === 'fail' ? null : `${message.botParams.entity}: ${message.text}`
const postComment = async (response, message) => console.log(JSON.stringify({ response, id: message.id, worker: message.botParams.claimedBy }))

while (true) {
  const messages = await fetch('https://worker.dev/api/queue/pending?limit=10')

  if (messages.length === 0) {
    await sleep(1000)
    continue
  }

  const claimed = await fetch('https://worker.dev/api/queue/claim', {
    method: 'POST',
    body: JSON.stringify({
      messageId: messages[0].id,
      workerId: SERVER_ID
    })
  })

  if (!claimed.success) {
    continue
  }

  const response = await generateResponse(claimed.message)

  if (!response) {
    await fetch('https://worker.dev/api/queue/fail', {
      method: 'POST',
      body: JSON.stringify({ messageId: claimed.message.id })
    })
    continue
  }

  await postComment(response, claimed.message)

  await fetch('https://worker.dev/api/queue/complete', {
    method: 'POST',
    body: JSON.stringify({ messageId: claimed.message.id })
  })
}

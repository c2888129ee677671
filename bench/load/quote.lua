-- POST /v1/quotes with the key given after `--`.
local key
function init(args)
  key = args[1]
  wrk.method = 'POST'
  wrk.body = '{"modelId":"canvas","params":{"prompt":"a lighthouse at dusk, oil on canvas","num_outputs":2}}'
  wrk.headers['Content-Type'] = 'application/json'
  wrk.headers['Authorization'] = 'Bearer ' .. key
end

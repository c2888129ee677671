-- POST /v1/generations with a fresh Idempotency-Key, over the keys of the file given after `--`.
local keys = {}
local count = 0
local salt
function init(args)
  for line in io.lines(args[1]) do keys[#keys + 1] = line end
  math.randomseed(os.time() + tonumber(tostring({}):match('0x(%x+)'), 16) % 100000)
  salt = string.format('%08x%08x', math.random(0, 2147483647), math.random(0, 2147483647))
  wrk.method = 'POST'
  wrk.body = '{"modelId":"canvas","params":{"prompt":"a lighthouse at dusk"},"maxCoins":100}'
  wrk.headers['Content-Type'] = 'application/json'
end
function request()
  count = count + 1
  wrk.headers['Authorization'] = 'Bearer ' .. keys[count % #keys + 1]
  wrk.headers['Idempotency-Key'] = salt .. string.format('%010d', count)
  return wrk.format()
end

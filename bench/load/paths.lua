-- GET the paths of a file in turn. Arguments after `--`: the key and the file.
local paths = {}
local count = 0
function init(args)
  wrk.headers['Authorization'] = 'Bearer ' .. args[1]
  for line in io.lines(args[2]) do paths[#paths + 1] = line end
end
function request()
  count = count + 1
  return wrk.format('GET', paths[count % #paths + 1])
end

-- Opens the trace $TRACE in neovim with the language server $SERVER, uses it, and prints the facts.

local function say(name, value)
  io.stdout:write(name .. ": " .. value:gsub("\n", " "):gsub("%s+", " ") .. "\n")
  io.stdout:flush()
end

local function wait(what, condition)
  if not vim.wait(60000, condition, 20) then
    say("failed", "no " .. what)
    vim.cmd("cquit")
  end
end

vim.cmd("edit " .. vim.env.TRACE)
local config = { name = "traces", cmd = { vim.env.SERVER }, root_dir = vim.fn.getcwd() }
if vim.lsp.start then
  vim.lsp.start(config)
else -- before neovim 0.8
  vim.lsp.buf_attach_client(0, vim.lsp.start_client(config))
end

wait("diagnostics", function() return #vim.diagnostic.get(0) > 0 end)
for _, found in ipairs(vim.diagnostic.get(0)) do
  say("diagnostic", string.format("%d:%d-%d %d %s", found.lnum + 1, found.col, found.end_col,
    found.severity, found.message))
end

-- The response in line 4.
vim.api.nvim_win_set_cursor(0, { 4, 40 })
local position = vim.lsp.util.make_position_params(0, "utf-16")
local hover
vim.lsp.buf_request(0, "textDocument/hover", position, function(_, result)
  hover = result.contents.value
end)
wait("hover", function() return hover end)
say("hover", hover)

vim.lsp.buf.definition()
wait("jump", function() return vim.api.nvim_win_get_cursor(0)[1] == 3 end)
local at = vim.api.nvim_win_get_cursor(0)
say("definition", at[1] .. ":" .. at[2])

local symbols
local document = { textDocument = position.textDocument }
vim.lsp.buf_request(0, "textDocument/documentSymbol", document, function(_, result)
  symbols = result
end)
wait("symbols", function() return symbols end)
for _, symbol in ipairs(symbols) do
  say("symbol", symbol.name .. " " .. (symbol.detail or ""))
end

-- An edit that mends the fault in line 7: the diagnostic goes.
local before = #vim.diagnostic.get(0)
local line = vim.fn.getline(7):gsub('"1,2,4"', "[1,2,4]")
vim.fn.setline(7, line)
wait("change of the diagnostics", function() return #vim.diagnostic.get(0) == before - 1 end)
say("mended", tostring(before - #vim.diagnostic.get(0)))

vim.lsp.stop_client(vim.lsp.get_active_clients())
wait("end of the server", function() return #vim.lsp.get_active_clients() == 0 end)
say("end", "of the server")
vim.cmd("qall!")

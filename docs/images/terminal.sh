# In another terminal: ./repartee serve
./repartee call http://127.0.0.1:8645/ subtract 42 23
./repartee call http://127.0.0.1:8645/ countdown 3
# The same methods as tools for language models
./repartee mcp tools \
  'exec:./repartee mcp serve http://127.0.0.1:8645/'
# Does this server conform to JSON-RPC 2.0?
./repartee check http://127.0.0.1:8645/

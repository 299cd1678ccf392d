print("Hello from Lua")

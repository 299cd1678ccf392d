print("Hello from Swift")

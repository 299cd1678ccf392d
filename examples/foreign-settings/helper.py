print("not what is started")

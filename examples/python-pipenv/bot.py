import time

while True:
    print("still here", flush=True)
    time.sleep(60)

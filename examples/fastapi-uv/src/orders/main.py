from fastapi import FastAPI

app = FastAPI(title="Orders")


@app.get("/")
def home() -> dict[str, int]:
    return {"orders": 0}

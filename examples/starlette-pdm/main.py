from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

app = Starlette(routes=[Route("/", lambda request: PlainTextResponse("Hello from Starlette\n"))])

from flask import Flask


def create_app():
    app = Flask(__name__)

    @app.get("/")
    def home():
        return "The shop is open\n"

    return app

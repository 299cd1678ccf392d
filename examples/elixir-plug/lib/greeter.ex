defmodule Greeter do
  use Application
  import Plug.Conn

  def start(_type, _args) do
    port = String.to_integer(System.get_env("PORT", "4000"))
    Supervisor.start_link([{Plug.Cowboy, scheme: :http, plug: __MODULE__, options: [port: port]}], strategy: :one_for_one)
  end

  def init(options), do: options
  def call(conn, _options), do: send_resp(conn, 200, "Hello from Elixir\n")
end

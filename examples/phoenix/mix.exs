defmodule Shop.MixProject do
  use Mix.Project

  def project do
    [
      app: :shop,
      version: "1.0.0",
      elixir: "~> 1.17",
      aliases: aliases(),
      deps: deps()
    ]
  end

  def application do
    [mod: {Shop.Application, []}, extra_applications: [:logger]]
  end

  defp deps do
    [{:phoenix, "~> 1.7"}, {:bandit, "~> 1.5"}]
  end

  defp aliases do
    ["assets.deploy": ["esbuild shop --minify", "phx.digest"]]
  end
end

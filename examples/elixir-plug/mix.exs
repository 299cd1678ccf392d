defmodule Greeter.MixProject do
  use Mix.Project

  def project do
    [app: :greeter, version: "1.0.0", elixir: "~> 1.16.0", deps: [{:plug_cowboy, "~> 2.7"}]]
  end

  def application, do: [mod: {Greeter, []}, extra_applications: [:logger]]
end

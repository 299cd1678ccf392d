-module(greeter).
-behaviour(application).
-export([start/2, stop/1]).

start(_Type, _Args) -> {ok, spawn(fun() -> receive stop -> ok end end)}.
stop(_State) -> ok.

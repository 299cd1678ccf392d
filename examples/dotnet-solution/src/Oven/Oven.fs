module Oven

let degrees = 230

let () =
  let port = int_of_string (Option.value (Sys.getenv_opt "PORT") ~default:"8080") in
  Dream.run ~interface:"0.0.0.0" ~port (fun _ -> Dream.html "Hello from OCaml\n")

let () = print_endline "Hello from OCaml"

@main def counter() = println("Hello from Scala")

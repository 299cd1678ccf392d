name := "Counter"
scalaVersion := "3.3.5"

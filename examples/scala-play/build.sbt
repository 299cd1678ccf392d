name := "pages"

lazy val root = (project in file(".")).enablePlugins(PlayScala)

scalaVersion := "3.3.5"

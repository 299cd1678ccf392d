rootProject.name = "greeter"

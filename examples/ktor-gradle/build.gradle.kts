plugins {
  kotlin("jvm") version "2.1.0"
  application
}

kotlin {
  jvmToolchain(21)
}

repositories {
  mavenCentral()
}

dependencies {
  implementation("io.ktor:ktor-server-netty:3.1.0")
}

application {
  mainClass.set("com.example.MainKt")
}

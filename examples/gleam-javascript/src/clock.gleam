import gleam/io

pub fn main() {
  io.println("Hello from Gleam")
}

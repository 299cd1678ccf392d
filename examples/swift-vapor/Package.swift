// swift-tools-version:6.0
import PackageDescription

let package = Package(
  name: "greeter",
  dependencies: [.package(url: "https://github.com/vapor/vapor.git", from: "4.110.0")],
  targets: [
    .executableTarget(name: "App", dependencies: [.product(name: "Vapor", package: "vapor")])
  ]
)

// swift-tools-version:5.9
import PackageDescription

let package = Package(name: "clock", targets: [.target(name: "clock")])

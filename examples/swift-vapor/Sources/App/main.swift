import Vapor

let app = try await Application.make(.detect())
app.get { _ in "Hello from Vapor\n" }
try await app.execute()

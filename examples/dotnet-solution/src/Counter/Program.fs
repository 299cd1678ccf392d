open Microsoft.AspNetCore.Builder

let app = WebApplication.CreateBuilder().Build()
app.MapGet("/", System.Func<string>(fun () -> "Hello from F#\n")) |> ignore
app.Run()

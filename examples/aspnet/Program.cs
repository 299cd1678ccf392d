var app = WebApplication.CreateBuilder(args).Build();
app.MapGet("/", () => "Hello from ASP.NET\n");
app.Run();

rootProject.name = "bakery"

include("counter", "oven")

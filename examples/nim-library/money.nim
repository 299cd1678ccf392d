proc add*(a, b: int): int = a + b

module example.com/tools/v2

go 1.22

toolchain go1.24.1

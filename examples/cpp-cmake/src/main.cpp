#include <iostream>

int main() {
  std::cout << "Hello from C++\n";
}

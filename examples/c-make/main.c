#include <stdio.h>

int main(void) {
  puts("Hello from C");
  return 0;
}

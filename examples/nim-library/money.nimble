version = "1.0.0"
author = "example"
description = "Counts cents"
license = "MIT"

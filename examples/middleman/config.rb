activate :directory_indexes

const std = @import("std");

pub fn build(b: *std.Build) void {
    _ = b.addModule("money", .{ .root_source_file = b.path("src/money.zig") });
}

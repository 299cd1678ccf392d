my $app = sub { [200, ['Content-Type' => 'text/plain'], ["Hello from Perl\n"]] };

await Deno.writeTextFile('built.txt', 'yes');

// Fails in its start, as an app without its database does.
console.log('starting');
console.error('Error: could not connect to the database at db.internal:5432');
process.exitCode = 1;

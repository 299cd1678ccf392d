exports.name = 'suite';

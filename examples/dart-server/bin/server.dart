import 'dart:io';

void main() async {
  final port = int.parse(Platform.environment['PORT'] ?? '8080');
  final server = await HttpServer.bind(InternetAddress.anyIPv4, port);
  await for (final request in server) {
    request.response.write('Hello from Dart\n');
    await request.response.close();
  }
}

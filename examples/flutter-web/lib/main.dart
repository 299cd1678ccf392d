import 'package:flutter/widgets.dart';

void main() => runApp(const Center(child: Text('Hello', textDirection: TextDirection.ltr)));

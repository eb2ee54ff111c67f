package dev.repartee.jackson;

/**
 * Where the text of a parser is: its byte 0 is {@code bytes[from]}. The parser's outermost context
 * carries it, for whoever wants the text itself.
 */
record Slice(byte[] bytes, int from) {}

package dev.repartee.jackson;

/**
 * The text of a parser: the parser's byte 0 is {@code bytes[from]}. The parser's outermost context
 * carries this object, from which a deserializer can copy the text of a value.
 */
record Slice(byte[] bytes, int from) {}

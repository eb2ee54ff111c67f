package dev.repartee.jackson;

/**
 * The text of a parser, or of a value in it: {@code bytes[from]} to {@code bytes[to - 1]}. The
 * outermost context of a parser carries its text, for deserializers that need the text of a value.
 */
record Slice(byte[] bytes, int from, int to) {}

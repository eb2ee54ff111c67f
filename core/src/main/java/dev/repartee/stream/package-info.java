/**
 * Streams of items as results of methods: their options, and the buffers at both ends. The wire
 * forms are in {@code dev.repartee}.
 */
@NullMarked
package dev.repartee.stream;

import org.jspecify.annotations.NullMarked;

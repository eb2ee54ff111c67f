/**
 * Facts that class files contain, and the texts beside them: annotations, generic types, the marks
 * of Kotlin, Javadoc. Not public API.
 */
@NullMarked
package dev.repartee.internal.reflect;

import org.jspecify.annotations.NullMarked;

/** A shop in Spring Boot. */
@NullMarked
package dev.repartee.examples.shop;

import org.jspecify.annotations.NullMarked;

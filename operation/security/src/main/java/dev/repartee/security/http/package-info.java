/** Single HTTP requests to authorization servers; for modules of this toolkit only. */
@NullMarked
package dev.repartee.security.http;

import org.jspecify.annotations.NullMarked;

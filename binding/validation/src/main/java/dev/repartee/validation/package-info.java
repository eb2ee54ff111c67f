/**
 * Jakarta Validation for services: {@link dev.repartee.validation.ValidationLayer} checks the
 * constraints of parameters and results.
 */
@NullMarked
package dev.repartee.validation;

import org.jspecify.annotations.NullMarked;

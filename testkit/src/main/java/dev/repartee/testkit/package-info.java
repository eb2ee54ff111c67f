/**
 * What tests of JSON-RPC programs are made of: contracts that every framing and every channel must
 * pass, and fakes to speak to.
 */
@NullMarked
package dev.repartee.testkit;

import org.jspecify.annotations.NullMarked;

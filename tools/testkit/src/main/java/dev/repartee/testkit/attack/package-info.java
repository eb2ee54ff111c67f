/**
 * Attacks on a server: {@link dev.repartee.testkit.attack.Attack} lists them, {@link
 * dev.repartee.testkit.attack.TargetServer} is a server with expensive methods to run them against,
 * and {@link dev.repartee.testkit.attack.WellBehavedClient} checks that other clients are served
 * meanwhile.
 */
@NullMarked
package dev.repartee.testkit.attack;

import org.jspecify.annotations.NullMarked;

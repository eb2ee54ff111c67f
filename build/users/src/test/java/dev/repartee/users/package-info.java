/**
 * Tests that use Repartee as its users do: they build projects from the modules of a release, run
 * its packages, and compile generated clients.
 */
package dev.repartee.users;

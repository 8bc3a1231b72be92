/**
 * Test support for applications: an embedded store, controlled time, faults, and
 * assertions.
 */
@NullMarked
package io.statestore.testing;

import org.jspecify.annotations.NullMarked;

/**
 * Test broker that injects faults and returns to its initial content between tests.
 */
@NullMarked
package io.statestore.testing.broker;

import org.jspecify.annotations.NullMarked;

/**
 * Broker for tests that returns to its initial content between tests and injects faults.
 */
@NullMarked
package io.statestore.testing.broker;

import org.jspecify.annotations.NullMarked;

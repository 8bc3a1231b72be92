/**
 * A broker for tests, which is emptied between tests, and whose faults a test injects.
 */
@NullMarked
package io.statestore.testing.broker;

import org.jspecify.annotations.NullMarked;

/**
 * A deliberate defect: a leader that does not confirm that it still leads before it
 * answers reads.
 */
@NullMarked
package io.statestore.broker.faults.careless;

import org.jspecify.annotations.NullMarked;

/**
 * Deliberate defect: a leader that answers reads without confirming that it still leads.
 */
@NullMarked
package io.statestore.broker.faults.careless;

import org.jspecify.annotations.NullMarked;

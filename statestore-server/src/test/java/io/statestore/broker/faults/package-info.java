/**
 * Tests of process, network, clock, and disk faults under load, in the manner of Jepsen.
 */
@NullMarked
package io.statestore.broker.faults;

import org.jspecify.annotations.NullMarked;

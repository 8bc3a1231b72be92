/**
 * Faults of processes, networks, clocks, and disks under load, in the manner of Jepsen.
 */
@NullMarked
package io.statestore.broker.faults;

import org.jspecify.annotations.NullMarked;

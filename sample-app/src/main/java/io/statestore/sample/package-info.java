/**
 * Sample application. It measures the machine it runs on, writes the readings to the
 * state store, and shows the readings of all machines.
 */
@NullMarked
package io.statestore.sample;

import org.jspecify.annotations.NullMarked;

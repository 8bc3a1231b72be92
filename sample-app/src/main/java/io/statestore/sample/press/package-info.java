/**
 * A press of the packaging line: an application with the State Store starter. It shares
 * its readings, follows a setpoint, and takes part in electing a leader, which packs. Its
 * configuration is in {@code application-press.yml}.
 */
@NullMarked
package io.statestore.sample.press;

import org.jspecify.annotations.NullMarked;

/** The {@code statestore} command-line program for operators of a state store. */
@NullMarked
package io.statestore.cli;

import org.jspecify.annotations.NullMarked;

/** Starts the control room of the packaging line, or one of its presses. */
@NullMarked
package io.statestore.sample;

import org.jspecify.annotations.NullMarked;

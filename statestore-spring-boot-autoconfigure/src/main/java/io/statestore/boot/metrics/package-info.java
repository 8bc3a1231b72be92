/** Meters of the state store client and of the embedded broker. */
@NullMarked
package io.statestore.boot.metrics;

import org.jspecify.annotations.NullMarked;

/** Meters for the state store client and the embedded broker. */
@NullMarked
package io.statestore.boot.metrics;

import org.jspecify.annotations.NullMarked;

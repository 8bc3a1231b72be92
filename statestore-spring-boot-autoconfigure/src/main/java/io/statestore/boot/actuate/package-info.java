/**
 * Actuator integration: health and info contributors, and the {@code statestore}
 * endpoint.
 */
@NullMarked
package io.statestore.boot.actuate;

import org.jspecify.annotations.NullMarked;

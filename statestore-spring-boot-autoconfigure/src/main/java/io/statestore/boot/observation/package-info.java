/** Auto-configuration for the client's Micrometer observations. */
@NullMarked
package io.statestore.boot.observation;

import org.jspecify.annotations.NullMarked;

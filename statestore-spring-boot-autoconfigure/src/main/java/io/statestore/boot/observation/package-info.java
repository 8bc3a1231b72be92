/** Auto-configuration of the Micrometer observations of the client. */
@NullMarked
package io.statestore.boot.observation;

import org.jspecify.annotations.NullMarked;

/**
 * Connections to a state store that Testcontainers runs.
 */
@NullMarked
package io.statestore.boot.testcontainers;

import org.jspecify.annotations.NullMarked;

/**
 * Connections to a state store run by Testcontainers.
 */
@NullMarked
package io.statestore.boot.testcontainers;

import org.jspecify.annotations.NullMarked;

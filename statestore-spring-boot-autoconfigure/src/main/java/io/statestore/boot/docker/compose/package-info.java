/**
 * Connections to a state store run by Docker Compose.
 */
@NullMarked
package io.statestore.boot.docker.compose;

import org.jspecify.annotations.NullMarked;

/**
 * Connections to a state store that Docker Compose runs.
 */
@NullMarked
package io.statestore.boot.docker.compose;

import org.jspecify.annotations.NullMarked;

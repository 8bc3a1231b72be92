/**
 * Spring Boot auto-configuration of the history of the state store.
 */
@NullMarked
package io.statestore.boot.history;

import org.jspecify.annotations.NullMarked;

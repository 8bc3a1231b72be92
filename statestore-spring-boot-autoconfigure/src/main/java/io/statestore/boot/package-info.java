/**
 * Spring Boot auto-configuration for the state store client and the embedded broker.
 */
@NullMarked
package io.statestore.boot;

import org.jspecify.annotations.NullMarked;

/**
 * Spring Boot auto-configuration of the state store client and of the embedded broker.
 */
@NullMarked
package io.statestore.boot;

import org.jspecify.annotations.NullMarked;

/**
 * Spring Boot auto-configuration for Dafka, with an optional tower and store embedded in
 * the application.
 */
@NullMarked
package io.statestore.boot.dafka;

import org.jspecify.annotations.NullMarked;

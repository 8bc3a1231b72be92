/**
 * Spring Boot auto-configuration of Dafka, and of a tower and a store inside the
 * application.
 */
@NullMarked
package io.statestore.boot.dafka;

import org.jspecify.annotations.NullMarked;

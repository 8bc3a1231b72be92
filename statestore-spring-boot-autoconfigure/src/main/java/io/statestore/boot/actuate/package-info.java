/** Health, info, and the endpoint of Spring Boot Actuator. */
@NullMarked
package io.statestore.boot.actuate;

import org.jspecify.annotations.NullMarked;

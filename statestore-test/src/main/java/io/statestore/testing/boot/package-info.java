/**
 * Test support for Spring Boot applications.
 */
@NullMarked
package io.statestore.testing.boot;

import org.jspecify.annotations.NullMarked;

/**
 * JUnit extension for tests without Spring.
 */
@NullMarked
package io.statestore.testing.junit;

import org.jspecify.annotations.NullMarked;

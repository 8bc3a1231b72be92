/**
 * Tests for shutting down web applications. Outside the packages that the sample scans.
 */
@NullMarked
package io.statestore.shutdown;

import org.jspecify.annotations.NullMarked;
